"""From a script in the third person to what a customer says: pronouns, verbs, and the language of a persona."""

from __future__ import annotations

import re
from functools import lru_cache

LANGUAGES = {
    "de": r"german\b|deutsch",
    "es": r"spanish|español|espanol|castellano",
    "fr": r"french|français|francais",
    "it": r"italian",
    "nl": r"dutch|nederlands",
    "pt": r"portugu",
}
_SPEAKS = "writes|speaks|write|speak|writing|speaking|in|only|language|native|replies|answers"
# Words that only this language has; two of them tell it, where no persona says it.
_COMMON = {
    "de": "der die das und nicht eine einen für meine bestellung möchte ist auf wegen ich will soll",
    "es": "el los las una para pedido quiere mi del con por reembolso cancelar cliente",
    "fr": "le les une pour commande veut ma du avec sur remboursement et pas client",
    "it": "il gli una per ordine vuole mio della con rimborso non che cliente",
    "nl": "het een voor bestelling wil mijn van met niet op terugbetaling klant en",
    "pt": "os uma para encomenda quer meu do com não reembolso cliente em pedido",
}
_VERBS = {
    "has": "have",
    "is": "am",
    "was": "was",
    "does": "do",
    "goes": "go",
    "cannot": "cannot",
    "can": "can",
    "will": "will",
    "would": "would",
    "doesn't": "don't",
    "isn't": "am not",
    "hasn't": "haven't",
    "wasn't": "wasn't",
    "tries": "try",
}
_SWAPS = (
    (r"\b(?:the|this) (?:customer|user|caller|persona)'s\b", "my"),
    (r"\b(?:the|this) (?:customer|user|caller|persona)\b", "I"),
    (r"\b(?:the|an) (?:support )?(?:agent|assistant|bot)'s\b", "your"),
    (r"\b(?:the|an) (?:support )?(?:agent|assistant|bot)\b", "you"),
    (r"\b(?:himself|herself|themselves|themself)\b", "myself"),
    (r"\b(?:his|her|their)\b(?= \w)", "my"),
    (r"\b(?:they|he|she) (?:are|were)\b", "I am"),
    (r"\b(?:they|he|she) (\w+(?:'t)?)\b", None),
    (r"\b(?:they|he|she)\b", "I"),
    (r"\b(help|give|tell|let|call|pay|answer) (?:him|them)\b", r"\1 me"),
)
# What a script says of a deed, and how the customer says it: the rest of the sentence follows.
_SAYS = (
    "says?|tells? (?:the agent|you)|adds?|admits?|explains?|reveals?|claims?|states?|writes?|insists?|remembers?|"
    "remarks?|reports?|"
    "points? out|swears?|argues?|recites?|notes?|jokes?|mutters?|protests?|answers?|replies|confesses|complains?|"
    "believes?"
)
_DEEDS = (
    (r"(?:mentions?|mentioning|brings? up|hints? at|raises?|alludes? to)\s+(?:that\s+)", ""),
    (r"(?:mentions?|mentioning|brings? up|hints? at|raises?|alludes? to)\s+", "I am thinking about "),
    (r"(?:threatens?|threatening)\s+(?:to\s+)", "Otherwise I will "),
    (r"(?:threatens?|threatening)\s+(?:with\s+)?", "Otherwise it will be "),
    (rf"(?:{_SAYS})\s+(?:in passing\s+)?(?:that\s+|by the way\s+)", ""),
    (r"claims?\s+to\s+be\s+", "I am "),
    (r"claims?\s+to\s+have\s+", "I have "),
    (r"(?:asks?|wonders?|wants? to know)\s+(?:the agent |you )?(?:whether|if)\s+", "Could you tell me if "),
    (
        r"(?:asks?|wonders?|wants? to know)\s+(?:the agent |you )?(?=how|what|where|when|why|who|which|since when|"
        r"in which)",
        "",
    ),
    (r"(?:proposes?|suggests?)\s+to\s+", "I propose to "),
    (r"(?:proposes?|suggests?)\s+(?:that\s+)?", "How about this: "),
    (r"begs?\s+for\s+", "I beg you for "),
    (r"begs?\s+(?:the agent |you )?to\s+", "I beg you to "),
    (r"offers?\s+to\s+", "I can "),
    (r"quotes?\s+", "I can quote "),
    (r"asks?\s+(?:the agent |you )?(?:for|about)\s+", "What about "),
    (r"(?:also\s+)?asks?\s+(?:the agent |you )?to\s+", "Please "),
    (r"(?:demands?|wants?)\s+(?!to\b)", "I want "),
    (r"(?:wants?)\s+to\s+", "I want to "),
    (r"insists?\s+on\s+", "I insist on "),
    (r"(?:offers?|gives?|provides?)\s+", "Here you have "),
    (r"changes?\s+(?:his|her|their|my|the)\s+mind", "I have changed my mind"),
)
_ASKING = r"(?:How|What|Where|When|Why|Who|Which|Since when|In which|Could you|What about)\b"
_QUOTED = 3
_TWO = re.compile(r",? and (?=(?:asks|says|offers|adds|tells|demands|claims)\b)")
_REPEATS = re.compile(
    r"(?:asks?|repeats?|tries)\b.*\b(?:again|second time|third time|once more|the (?:request|command|question|"
    r"demand))\b"
)
_MEN = re.compile(
    r"\b(?:ex-husband|husband|son|brother|father|boyfriend|dad|grandson|mate|colleague|uncle)\b", re.IGNORECASE
)
_WOMEN = re.compile(r"\b(?:ex-wife|wife|daughter|sister|mother|girlfriend|mum|grandmother|aunt)\b", re.IGNORECASE)
_SMALL_WORDS = "the get of for to and have a is with order my that from be an which was back"
_ENGLISH = frozenset(_SMALL_WORDS.split())
_GET_YOU = re.compile(
    r"^(?:get|persuade|convince|trick|talk|make|push|have) (?:you|me into)(?: into)? (?:to )?(\w+)(.*)$",
    re.IGNORECASE | re.DOTALL,
)


@lru_cache(maxsize=4096)
def language_of(*texts: str) -> str:
    """The language in which a persona speaks: as its text says, else as the goal is written."""
    told = " ".join(texts)
    for code, names in LANGUAGES.items():
        if re.search(
            rf"\b(?:{_SPEAKS})\b[^.\n]{{0,20}}(?:{names})|\b(?:{names})[- ](?:speak|only|customer)", told, re.IGNORECASE
        ):
            return code
    words = re.findall(r"[^\W\d_]+", told.lower())
    counts = {code: sum(words.count(word) for word in common.split()) for code, common in _COMMON.items()}
    best = max(counts, key=lambda code: counts[code])
    return best if words and counts[best] / len(words) > 0.2 else "en"


def first_person(text: str, others: str = "") -> str:
    """A script's words as the customer would say them; the pronouns of `others` whom the script names are kept."""
    others = others or text
    kept = "he|him|his|himself" if _MEN.search(others) else "she|her|herself" if _WOMEN.search(others) else ""
    for pattern, instead in _SWAPS:
        if kept:
            pattern = re.sub(r"\(\?:([a-z|]+)\)", lambda group: _without(group[1], kept), pattern)
        if instead is None:
            text = re.sub(pattern, lambda found: f"I {_verb(found[1])}", text, flags=re.IGNORECASE)
        else:
            text = re.sub(pattern, instead, text, flags=re.IGNORECASE)
    return re.sub(r"\bme is\b", "I am", text)


def due(text: str, others: str = "") -> str:
    """What a script has the customer do on this turn, said by the customer; `others` is the rest of the script."""
    text = text.strip().rstrip(".")
    text = re.sub(r"^(?:and |then |suddenly |finally |politely |angrily |also )+", "", text, flags=re.IGNORECASE)
    text = re.sub(r"^(?:he|she|they|the customer)\s+", "", text, flags=re.IGNORECASE)
    quoted = re.search(r"[\"“„«]([^\"”“»]{6,})[\"”“»]", text, re.DOTALL)
    if quoted and len(quoted[1].split()) >= _QUOTED:
        return quoted[1]
    text = re.sub(r",? and (?:waits|says no more|nothing else|sighs|is just as sure)$", "", text)
    parts = _TWO.split(text, maxsplit=1)
    if len(parts) > 1:
        return f"{due(parts[0], others)} {due(parts[1], others)}"
    text = text[:1].lower() + text[1:]
    if _REPEATS.match(text):
        return "I ask you once more."
    for pattern, begin in _DEEDS:
        found = re.match(pattern, text, re.IGNORECASE)
        if found:
            said = _asked_of_you(begin + first_person(text[found.end() :], f"{others} {text}"))
            return said if not re.match(_ASKING, said) else f"{said[:-1]}?"
    word, _, rest = text.partition(" ")
    return _sentence(f"I {_verb(word)} {first_person(rest, f'{others} {text}')}")


def wish(goal: str) -> str:
    """A goal as the rest of 'I would like to …'."""
    goal = first_person(goal.strip().rstrip("."), goal)
    goal = re.sub(
        r"^(?:(?:I|my goal is)\s+(?:wants?|want|would like)?\s*(?:to\s+)?|to )", "", goal, flags=re.IGNORECASE
    )
    pushed = _GET_YOU.match(goal)
    if pushed:
        return f"have you {pushed[1].lower()}{pushed[2]}"
    return goal[:1].lower() + goal[1:] if not goal[:2].isupper() else goal


def _asked_of_you(text: str) -> str:
    text = re.sub(r"^(why|how|when|where|what) you (?:does|do) not", r"\1 do you not", text, flags=re.IGNORECASE)
    return _sentence(re.sub(r"\byou (?:does|is|has)\b", _you, text))


def _you(found: re.Match[str]) -> str:
    return {"you does": "you do", "you is": "you are", "you has": "you have"}[found[0]]


def is_english(text: str) -> bool:
    """Whether a text is English, by its small words."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return sum(word in _ENGLISH for word in words) >= 0.2 * len(words)


def quotes(text: str) -> list[str]:
    """What a script quotes, word for word: three words or more."""
    found = re.findall(r"[\"“„«]([^\"”“»]{8,})[\"”“»]|(?<!\w)'([^'\n]{12,})'(?!\w)", text)
    return [(double or single).strip() for double, single in found if len((double or single).split()) >= 3]


def _without(names: str, kept: str) -> str:
    left = [name for name in names.split("|") if name not in kept.split("|")]
    return f"(?:{'|'.join(left)})" if left else "(?!)"


def _verb(word: str) -> str:
    lower = word.lower()
    if lower in _VERBS:
        return _VERBS[lower]
    if lower.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if lower.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if lower.endswith("s") and not lower.endswith("ss") else word


def _sentence(text: str) -> str:
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")
