"""A customer's script, read from the sections of its system message, and its hidden facts by what is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_SECTION = re.compile(r"^# ([^\n]+)$", re.MULTILINE)
_FACT = re.compile(r"^- ([^:\n]+): (.*)$", re.MULTILINE)
_TURN = re.compile(r"turn (\d+)", re.IGNORECASE)
_DUE = re.compile(r"^Due on this turn: (.+)$", re.MULTILINE)
_LANGUAGE = re.compile(r"write in this language: (\w\w)\b", re.IGNORECASE)

# What an agent asks with, for each thing that a fact may be about; a fact is asked for by the words of its name too.
_ASKED_BY = {
    "order": r"order|purchase|bestell|commande|pedido|ordine|encomenda",
    "number": r"number|\bno\b|\bid\b|nummer|numéro|número|numero",
    "total": r"total|amount|how much|price|cost|paid|betrag|wie viel|montant|combien|importe|cuánto|importo|quanto|"
    r"bedrag|valor",
    "email": r"e-?mail|mail address|correo|courriel",
    "date": r"\bdate|\bwhen\b|which day|what day|since when|how long ago|\bwann\b|datum|quand|cuándo|quando|wanneer|"
    r"fecha",
    "address": r"(?<!mail )address|street|postal|post ?code|\bzip\b|city|adresse|anschrift|dirección|indirizzo|"
    r"adres|endereço",
    "reason": r"\bwhy\b|reason|what (?:went|is|was) wrong|what happened|problem|warum|grund|pourquoi|por qué|perché|"
    r"waarom|porquê",
    "name": r"your (?:full )?name|whose|who are you|who is writing",
    "phone": r"phone|telephone|mobile",
    "subscription": r"subscription|membership|\bplan\b|abo\b|abonnement|suscripción|abbonamento|assinatura",
    "delivered": r"deliver|arriv|receiv|reached",
    "downloaded": r"download|opened the file",
    "device": r"device|browser|computer|operating system|phone or|version",
    "error": r"error|message on|code (?:do|does|is|did)|screen",
    "card": r"\bcard\b|last four|digits|pay(?:ment)? (?:method|with)",
    "model": r"which (?:model|file|kit)|what (?:model|file)",
    "amount": r"amount|how much|sum",
}
_SAME = {
    "mail": "email",
    "e": "email",
    "price": "total",
    "cost": "total",
    "paid": "total",
    "amount": "total",
    "charged": "total",
    "day": "date",
    "bestellung": "order",
    "bestelling": "order",
    "commande": "order",
    "pedido": "order",
    "ordine": "order",
    "encomenda": "order",
    "pledge": "order",
    "adres": "address",
    "adresse": "address",
    "anschrift": "address",
    "dirección": "address",
    "indirizzo": "address",
    "morada": "address",
    "endereço": "address",
    "betrag": "total",
    "montant": "total",
    "importe": "total",
    "importo": "total",
    "bedrag": "total",
    "valor": "total",
    "sum": "total",
    "grund": "reason",
    "raison": "reason",
    "motivo": "reason",
    "reden": "reason",
    "datum": "date",
    "fecha": "date",
    "data": "date",
    "abo": "subscription",
    "since": "date",
    "ordered": "date",
    "bought": "date",
    "purchased": "date",
    "when": "date",
    "street": "address",
    "city": "address",
    "why": "reason",
    "problem": "reason",
    "cause": "reason",
    "id": "number",
    "membership": "subscription",
    "plan": "subscription",
    "arrived": "delivered",
    "received": "delivered",
    "browser": "device",
    "system": "device",
    "code": "error",
    "digits": "card",
    "file": "model",
}
# Names that say of which thing a fact is, not what: an order's date is asked for by the date.
_WEAK = frozenset({"order", "subscription", "number", "model", "card"})
_QUESTION = re.compile(
    r"[^.!?\n]*\?|[^.!?\n]*\b(?:(?:please|could you|can you|kindly) (?:\w+ )?(?:tell|send|give|let|share|provide|"
    r"name)|I need (?:to know|your)|bitte)\b[^.!?\n]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Script:
    """What a customer's system message tells: who they are, what they want, what they know, and what is due now."""

    persona: str
    goal: str
    facts: tuple[tuple[str, str], ...]
    turn: int
    due: tuple[str, ...]
    language: str


@lru_cache(maxsize=1024)
def script_of(system: str) -> Script:
    """The script in a system message's sections; one that is missing is empty."""
    marks = list(_SECTION.finditer(system))
    ends = [mark.start() for mark in marks[1:]] + [len(system)]
    parts = {
        mark[1].split("(")[0].strip().lower(): system[mark.end() : end].strip()
        for mark, end in zip(marks, ends, strict=True)
    }
    turn = parts.get("turn", "")
    number, language = _TURN.search(turn), _LANGUAGE.search(parts.get("your part", ""))
    return Script(
        persona=parts.get("persona", ""),
        goal=parts.get("goal", ""),
        facts=tuple((name.strip(), value.strip()) for name, value in _FACT.findall(parts.get("hidden facts", ""))),
        turn=int(number[1]) if number else 1,
        due=tuple(what.strip() for what in _DUE.findall(turn)),
        language=language[1].lower() if language else "",
    )


def questions_in(text: str) -> list[str]:
    """The sentences of an agent's message that ask for something."""
    return [found[0].strip() for found in _QUESTION.finditer(text) if found[0].strip()]


def facts_asked(script: Script, question: str) -> list[tuple[str, str]]:
    """The hidden facts that a question asks for, the best fitting first."""
    scored = []
    for name, value in script.facts:
        words = [_SAME.get(word, word) for word in re.findall(r"[^\W\d_]+", name.lower().replace("e-mail", "email"))]
        hits = [word for word in words if re.search(_ASKED_BY.get(word, rf"\b{word}"), question, re.IGNORECASE)]
        strong = [word for word in hits if word not in _WEAK]
        # The order's number is asked for as the order's; of an order's date, the date must be asked for.
        if strong or (hits and set(words) <= _WEAK):
            scored.append((len(strong) + len(hits) / len(words), name, value))
    return [(name, value) for _, name, value in sorted(scored, key=lambda entry: -entry[0])]


def asks_for(question: str, thing: str) -> bool:
    """Whether a question asks for one of the known things: order, email, date, reason and so on."""
    return re.search(_ASKED_BY[thing], question, re.IGNORECASE) is not None
