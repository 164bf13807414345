"""A customer made of rules: it plays a script, and what it says depends on what the agent said last."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.offline.intents import amounts_in, orders_in, subscriptions_in, wants_in
from evalkit.offline.lines import DID, ELSE, FAREWELL, HANDED, OFFERS, PASSES_ON, REFUSES, SENTENCE, STOCK
from evalkit.offline.persona import insists, is_cross, is_lost, own_yes, pasted, patience, spoken, wants_person
from evalkit.offline.policy import number
from evalkit.offline.reading import STOP
from evalkit.offline.script import Script, asks_for, facts_asked, questions_in, script_of
from evalkit.offline.voice import due, first_person, is_english, language_of, wish

_FULL = re.compile(r"\bfull\b|\bwhole\b|\ball (?:of )?(?:the|my)\b|complete", re.IGNORECASE)
_LONG = 5
_MENTIONED_FIRST = 2


@dataclass(frozen=True)
class Mood:
    """How a customer plays: `temperature` 0 keeps to the first wording of each line; `turns` is its last one."""

    temperature: float = 0.0
    turns: int = 8

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Mood:
        """The mood that a call's parameters ask for; raises ValueError on one that it does not know."""
        known = {name: parameters[name] for name in cls.__dataclass_fields__ if name in parameters}
        unknown = sorted(parameters.keys() - known.keys() - {"seed", "max_tokens", "top_p", "max_retries", "stream"})
        if unknown:
            raise ValueError(f"an offline customer knows no parameter {', '.join(unknown)}; known: temperature, turns")
        mood = cls(**known)
        if not (0 <= mood.temperature <= 10 and 1 <= mood.turns <= 100):
            raise ValueError("an offline customer needs temperature 0 to 10 and turns 1 to 100")
        return mood


def next_line(messages: Sequence[Mapping[str, Any]], mood: Mood, seed: int) -> str:
    """The customer's next message, from the script in the system message and the dialogue so far."""
    system = "\n".join(m["content"] or "" for m in messages if m["role"] == "system")
    own = tuple(m["content"] or "" for m in messages if m["role"] == "assistant")
    heard = tuple(m["content"] or "" for m in messages if m["role"] == "user")
    # The first message of the other side is a stage direction where the customer speaks first.
    heard = heard[1:] if len(heard) > len(own) else heard
    return _Player(script_of(system), mood, seed, own, heard).line()


@dataclass(frozen=True)
class _Player:
    """One turn of a customer: its script, what it has said, and what it has heard."""

    script: Script
    mood: Mood
    seed: int
    own: tuple[str, ...]
    heard: tuple[str, ...]

    def line(self) -> str:
        """The message, with what is due on this turn, and the stop signal where it is the last one."""
        if not self.own:
            text, last = self._opening(), False
        else:
            text, last = self._reply(self.heard[-1] if self.heard else "")
        extra = [due(what, self.script.goal) for what in self.script.due]
        extra += (
            spoken(self.script.persona, self.script.goal, later=True)
            if len(self.own) + 1 == _MENTIONED_FIRST and not last
            else []
        )
        said = " ".join([text, *(line for line in extra if line not in text)]).strip()
        # Who has something left to say does not leave with it.
        if extra and last and self.own:
            said, last = " ".join(extra), False
        if len(self.own) + 1 >= self.mood.turns:
            last = True
        return f"{said}\n{STOP}" if last else said

    def _opening(self) -> str:
        persona, goal = self.script.persona, self.script.goal
        begin = [self._stock("hello")]
        if self._language == "en":
            begin += [self._stock("cross")] if is_cross(persona) else []
            begin += [self._stock("lost")] if is_lost(persona) else []
        begin.append(self._goal_said())
        begin += spoken(persona, goal, later=False)
        begin += [quote for quote in pasted(persona) if quote not in goal]
        return " ".join(begin)

    def _reply(self, heard: str) -> tuple[str, bool]:
        """What is said to the agent's last message, and whether it is the customer's last word."""
        sentences = [part for part in SENTENCE.split(heard) if part.strip()]
        offer = any(OFFERS.search(part) for part in sentences) and "?" in heard + "?"
        if not offer and any(HANDED.search(part) for part in sentences if "?" not in part):
            return self._stock("thanks"), True
        if FAREWELL.search(heard) and "?" not in heard:
            return self._stock("thanks"), True
        if offer:
            return self._offered(heard)
        missing = self._missing()
        if not missing and self._acts:
            return (self._stock("thanks"), True) if self._followed else (self._follow_up(), False)
        refused = [part for part in sentences if REFUSES.search(part) and "?" not in part]
        asked = [part for part in questions_in(heard) if not ELSE.search(part)]
        if refused and not asked:
            return self._refused()
        if asked:
            return self._asked(" ".join(asked)), False
        if self._acts and len(missing) < len(self._acts):
            return self._stock("other", wish=self._rest(missing)), False
        if self._acts or len(heard.split()) < 8:
            return self._stock("again", wish=self._wish), False
        return self._answered()

    def _offered(self, heard: str) -> tuple[str, bool]:
        """Yes to what serves the goal, no to what does not; who insists does not take a person at once."""
        wanted, offered = self._sum(), amounts_in(heard)
        presses = self._presses()
        if PASSES_ON.search(heard):
            if not presses and insists(self.script.persona):
                return self._stock("press", wish=self._wish), False
            return self._yes(), False
        kinds = {want.kind for want in wants_in(heard)} & set(DID)
        if kinds and self._acts and not kinds & self._acts:
            return f"{self._stock('no')} {self._stock('again', wish=self._wish)}", False
        if wanted and offered and max(offered) < wanted - 0.005 and presses < patience(self.script.persona):
            lines = [line.format(amount=f"${wanted:,.2f}") for line in STOCK[self._language]["less"]]
            if not any(line in said for line in lines for said in self.own):
                return self._stock("less", amount=f"${wanted:,.2f}"), False
        return self._yes(), False

    def _yes(self) -> str:
        """A yes, in the words that the persona has for it."""
        own = own_yes(self.script.persona)
        return self._fresh("yes", (*own, *STOCK[self._language]["yes"])[: len(own) or None])

    def _refused(self) -> tuple[str, bool]:
        asks_for_person = self._language == "en" and wants_person(self.script.persona)
        if asks_for_person and not any(line in said for said in self.own for line in STOCK["en"]["person"]):
            return self._stock("person"), False
        if self._presses() < patience(self.script.persona):
            return self._stock("press", wish=self._wish), False
        return self._stock("give_up"), True

    def _asked(self, question: str) -> str:
        """The facts that are asked for, what the goal and the persona tell, or that it does not know."""
        told = [self._fact(name, value) for name, value in facts_asked(self.script, question)[:2]]
        if told:
            return " ".join(told)
        open_text = f"{self.script.goal} {self.script.persona}"
        if asks_for(question, "subscription") and subscriptions_in(open_text):
            return self._plain("subscription", subscriptions_in(open_text)[-1])
        if asks_for(question, "order") and asks_for(question, "number") and orders_in(open_text):
            return self._plain("order", orders_in(open_text)[-1])
        if asks_for(question, "reason"):
            return self._stock("reason", wish=self._wish)
        if re.search(r"how can I help|what can I do", question, re.IGNORECASE):
            return self._stock("again", wish=self._wish)
        return self._stock("unknown")

    def _follow_up(self) -> str:
        """One question about what was done, before the customer leaves."""
        keys = [f"ask_{kind}" for kind in sorted(self._acts)] if self._language == "en" else ["ask"]
        return self._stock(keys[-1])

    @property
    def _followed(self) -> bool:
        stock = STOCK[self._language]
        lines = [line for key in stock if key.startswith("ask") or key == "more" for line in stock[key]]
        # Who has been here for long asks no more.
        return len(self.own) >= _LONG or any(line in said for said in self.own for line in lines)

    def _answered(self) -> tuple[str, bool]:
        """An answer to a question ends it, at the second time."""
        return (self._stock("thanks"), True) if self._followed else (self._stock("more"), False)

    def _fact(self, name: str, value: str) -> str:
        words = name.replace("_", " ").replace("-", " ").strip()
        truth = {"true": True, "yes": True, "false": False, "no": False}.get(value.lower())
        if truth is not None and self._language == "en":
            return f"Yes, {words}." if truth else f"No, not {words}."
        if len(value.split()) >= 5:
            return value if value.endswith((".", "!", "?")) else f"{value[:1].upper()}{value[1:]}."
        return self._plain(words, value)

    def _plain(self, words: str, value: str) -> str:
        if self._language != "en":
            return f"{words}: {value}."
        wordings = (f"The {words} is {value}.", f"It is {value}, the {words}.", f"My {words}: {value}.")
        return self._fresh("fact", wordings)

    def _goal_said(self) -> str:
        if self._language == "en":
            return self._stock("want", wish=self._wish)
        if is_english(self._wish):
            return STOCK["en"]["want"][0].format(wish=self._wish)
        return f"{self._wish[:1].upper()}{self._wish[1:]}."

    @property
    def _wish(self) -> str:
        """The goal in the customer's words; in another language by the stock phrase of what it asks for."""
        stock = STOCK[self._language]
        if self._language == "en" or not is_english(self.script.goal):
            return wish(self.script.goal)
        orders, plans = orders_in(self.script.goal), subscriptions_in(self.script.goal)
        parts = {"order": orders[-1] if orders else "", "subscription": plans[-1] if plans else ""}
        said = [
            stock[want.kind][0].format(**parts).strip() for want in wants_in(self.script.goal) if want.kind in stock
        ]
        return ", ".join(dict.fromkeys(said)) or wish(self.script.goal)

    def _rest(self, kinds: set[str]) -> str:
        """The part of the goal that is still open."""
        if self._language != "en":
            return self._wish
        parts = [want.sentence for want in wants_in(self.script.goal) if want.kind in kinds]
        parts = [
            part
            for text in parts
            for part in re.split(r",? and (?:also )?", text)
            if {want.kind for want in wants_in(part)} & kinds
        ]
        return wish(" and ".join(dict.fromkeys(parts))) if parts else self._wish

    @property
    def _acts(self) -> set[str]:
        """The deeds that the goal asks for."""
        return {want.kind for want in wants_in(first_person(self.script.goal))} & set(DID)

    def _missing(self) -> set[str]:
        """The deeds of the goal that the agent has not told of."""
        told = [
            part for text in self.heard for part in SENTENCE.split(text) if "?" not in part and not REFUSES.search(part)
        ]
        return {kind for kind in self._acts if not any(DID[kind].search(part) for part in told)}

    def _presses(self) -> int:
        """How often the customer has pressed so far."""
        lines = [line.split("{")[0].strip() for line in STOCK[self._language]["press"]]
        lines += [line.split("{")[0].strip() for line in STOCK[self._language]["less"]]
        return sum(any(line in said for line in lines) for said in self.own)

    def _sum(self) -> float | None:
        named = amounts_in(self.script.goal)
        if named:
            return named[-1]
        totals = [number(value) for name, value in self.script.facts if re.search("total|price|paid", name)]
        return totals[0] if totals and _FULL.search(self.script.goal) else None

    @property
    def _language(self) -> str:
        told = self.script.language
        return told if told in STOCK and told != "en" else language_of(self.script.persona, self.script.goal)

    def _stock(self, key: str, **parts: str) -> str:
        return self._fresh(key, tuple(line.format(**parts) for line in STOCK[self._language][key]))

    def _fresh(self, key: str, wordings: Sequence[str]) -> str:
        """One of the wordings that has not been said yet, by chance where the mood varies."""
        unsaid = [line for line in wordings if not any(line in said for said in self.own)]
        # Where all have been said, at least not the last one again.
        unsaid = unsaid or [line for line in wordings if line not in self.own[-1]] or list(wordings)
        if self.mood.temperature <= 0:
            return unsaid[0]
        return random.Random(f"{self.seed}:{len(self.own)}:{key}").choice(unsaid)
