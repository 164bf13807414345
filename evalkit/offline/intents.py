"""What a customer wants, and the numbers, names and answers in what they say; by families of words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_FLAGS = re.IGNORECASE


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})", _FLAGS)


# In the order in which they win a sentence that several fit.
WANTS: dict[str, re.Pattern[str]] = {
    "address": _any(
        r"(?:put|have)(?: \S+){0,8} on (?:\S+ ){0,4}(?:invoice|order)",
        r"(?:chang|updat|correct|fix|new|differ|wrong|mov|redirect|send|ship|replac)\w*(?: \S+){0,7} "
        r"(?<!mail )address",
        r"address\b(?: \S+){0,6} (?:chang|updat|correct|wrong|old)",
        r"(?:liefer|versand)?(?:adresse|anschrift)\b|changer (?:\S+ ){0,3}adresse|cambiar (?:\S+ ){0,3}direcci",
        r"address(?: \S+){0,3} (?:on|onto|for) (?:\S+ ){0,4}(?:order|invoice)|(?:put|have)(?: \S+){0,8} (?:on|"
        r"onto) (?:\S+ ){0,4}invoice",
        r"adres(?: \S+){0,8} (?:wijzig|verander)\w*",
        r"(?:neue|andere|nouvelle|nueva|nieuwe|nuovo|novo|nova)\w* (?:adress|indirizzo|endere|direcci)",
        r"adres (?:wijzig|verander)|(?:cambiare|modificare) (?:\S+ ){0,3}indirizzo|(?:mudar|"
        r"alterar) (?:\S+ ){0,3}endere",
    ),
    "link": _any(
        r"(?:download|file|zip)\w*(?: \S+){0,8}? (?:link|expired|run out|dead|not work|doesn'?t work|does not work|"
        r"again)",
        r"(?:re-?send|new|fresh|another|working|expired|dead)(?: \S+){0,4} (?:download|link)",
        r"link that works|(?:get|need|want|have|send)(?: \S+){0,3} link\b|link\b(?: \S+){0,14}? expired",
        r"link\b(?: \S+){0,8}? (?:expired|dead|run out|ran out|not work|doesn'?t|does not|broken|again)",
        r"(?:neue|downloadl|abgelaufen)\w*(?: \S+){0,3} ?link|downloadlink|lien (?:de )?t[ée]l[ée]charg",
        r"download(?:ed|ing)?(?: \S+){0,6} (?:again|once more)|(?:get at|fetch)(?: \S+){0,5} files?(?: \S+){0,3} again",
        r"enlace (?:de )?descarga|nieuwe (?:download)?link|link (?:di|per il|de) (?:download|scaric)",
    ),
    "refund": _any(
        r"refund|reimburs|money back|(?:give|get|want|send|pay)(?: \S+){0,4} (?:money|\$ ?\d+\S*|dollars) back",
        r"erstatt|r[üu]ckzahl|geld zur[üu]ck|rembours|reembols|devoluci|devolver (?:\S+ )?dinero|terugbetal|geld terug",
        r"rimbors|soldi indietro|dinheiro de volta|r[ée]cup[ée]rer (?:\S+ ){0,4}(?:paiement|argent)",
        r"repaid|re-?pay\b|(?:paid|pay|given|give|take|took|sent|send) (?:\S+ ){0,4}back\b|undo\b|withdraw from",
        r"(?:money|sum|amount|payment|fee|dollars|everything|\$ ?\d[\d.,]*)(?: \S+){0,6} (?:back|returned|again)\b",
        r"(?:get|have|want)(?: \S+){0,2} back (?:the|my|what) (?:\S+ ){0,3}(?:money|dollars|fee|payment|paid)",
    ),
    "cancel": _any(
        r"(?:cancel|terminat|stop|quit|end)(?:l?ed|l?ing|ping|ting|e|ate)?(?: (?!of\b)\S+){0,6} (?:membership|"
        r"subscription|plan|renew\w*|abo)\b",
        r"(?:membership|subscription|plan|abo)\b(?: \S+){0,5} (?:cancel\w*|terminat\w*|(?:should|to) end|ended|"
        r"stopped)\b|unsubscrib|cancel (?:it|now|me)\b",
        r"k[üu]ndig|r[ée]sili|annuler (?:\S+ )?abonnement|cancelar|dar de baja|opzeg|disdi|"
        r"annullare (?:\S+ )?abbonamento",
        r"cancellation of",
    ),
    "look": _any(
        r"(?:where is|where'?s|status of|track|what happened to|when (?:will|does|did))(?: \S+){0,6} (?:order|"
        r"parcel|package|it\b)",
        r"(?:what|which|tell|give|show|read|find|know|need|confirm|get)(?: \S+){0,6} (?:e-?mail|address|phone|details?|"
        r"total|number)(?: \S+){0,2} (?:of|for|on|from|behind|in)\b",
        r"(?:order|subscription|membership|account)(?:'s)? (?:status|details|total|date)|wo (?:ist|"
        r"bleibt) (?:\S+ ){0,2}bestellung",
        r"(?:what|how much)(?: \S+){0,5} (?:paid|pay|charged)(?: \S+){0,3} order|when (?:\S+ ){0,6}renew|"
        r"next (?:renewal|charge)",
        r"look (?:up|at|into)(?: \S+){0,5} order",
    ),
    "wish": _any(
        r"(?:figure|model|design|bust|statue)(?: \S+){0,8} (?:sculpted|made|designed|created|printed)|"
        r"sculpt(?:ed)?(?: \S+){0,3} for me",
        r"(?:custom|bespoke|commission)\w*(?: \S+){0,3} (?:model|design|sculpt|figure|version|file)",
        r"(?:discount|coupon|voucher|free (?:month|membership|model|credit|year)|for free|lifetime|price match|"
        r"goodwill)",
        r"(?:exception|credits?(?: \S+){0,4} (?:into|for|as) (?:money|cash|dollars))|(?:transfer|move|"
        r"give)(?: \S+){0,3} credits",
        r"(?:move|transfer|hand)\w*(?: \S+){0,10} (?:over )?to (?:\S+ ){1,3}account|(?:last year'?s|old) price",
        r"rabatt|gutschein|remise|descuento|korting|sconto|desconto",
    ),
    "command": _any(
        r"(?:staff|internal|secret|unlock)\w*(?: \S+){0,2} code|code (?:of|for|from) (?:the )?staff|system prompt",
        r"your (?:\w+ )?(?:instructions|prompt)\b|stands above (?:the|this|my)",
    ),
}

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|;\s+|,? (?:and also|and then|und außerdem|et aussi)\s+", _FLAGS)
_ORDER_WORD = r"(?:order|bestell\w*|commande|pedido|ordine|encomenda|PLM)"
_ORDER = re.compile(
    rf"{_ORDER_WORD}(?:\s+(?:number|no\.?|nr\.?|nummer|id|is|ist|est|es|è|n[úu]mero|num[ée]ro|:)|[\s:##№-])*"
    r"((?:PLM[\s-]*)?\d[\d -]{1,9}\d)(?![\d.,]*\d)",
    _FLAGS,
)
_NUMBER = re.compile(
    r"(?<![\w$€£.,-])(?<!\b(?-i:[A-Z][A-Z]) )(?:PLM[\s-]*)?(\d{4,7})(?![\w-]|[.,]\d| (?-i:[A-Z])| ?(?:dollars|usd|"
    r"eur|euros|credits|days))",
    _FLAGS,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_SUBSCRIPTION = re.compile(r"(?<![\w-])((?:sub|s|mem|m|abo)[-_]?\d[\w-]*)(?![\w-])", _FLAGS)
_SUBSCRIPTION_WORD = re.compile(
    r"(?:subscription|membership|abo\w*)\s*(?:number|id|no\.?|is|:|#|\s)*\s*((?=[\w-]*\d)[\w-]{3,20})", _FLAGS
)
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_MONEY = re.compile(
    r"[$€£]\s?(\d[\d,]*(?:\.\d{1,2})?)|(\d[\d,]*(?:\.\d{1,2})?)\s?(?:dollars?|usd|bucks|euros?|€|\$)", _FLAGS
)
_NEW_ADDRESS = re.compile(
    r"\b(?:to|is|address|auf|an|lautet|in)[:\s]+[\"“«]?([^\n\"”»?!]*\d[^\n\"”»?!]*[A-Za-z][^\n\"”»?!]*)", _FLAGS
)
_STREET = re.compile(r"([^\n.?!:\"“”]*\b\d{1,5}\w?\b[^\n.?!:\"“”]*(?:\b[A-Z][a-zß-ÿ]+[^\n.?!:\"“”]*))")

YES = _any(
    r"yes\b|yeah|yep|sure\b|please do|go ahead|do (?:it|that|so)\b|correct\b|that'?s right|confirm(?:ed)?\b|"
    r"ok(?:ay)?\b|"
    r"yup\b|kindly (?:do|proceed)|proceed\b|vas-y|doe (?:dat )?maar|faites|machen sie|agreed|of course|absolutely|"
    r"right, please",
    r"ja\b|jawohl|gerne|genau|s[íi]\b|claro|adelante|de acuerdo|oui\b|d'accord|allez-y|s[ìi]\b|certo|va bene|sim\b|"
    r"pode\b|graag\b",
)
NO = _any(
    r"no\b(?! (?:problem|worries|hurry))|nope|don'?t\b|do not\b|not (?:yet|now|that|so)\b|wait\b|stop\b|rather not|"
    r"never ?mind|leave it",
    r"nein\b|nicht\b|non\b|pas\b|nee\b|niet\b|n[ãa]o\b|espera",
)
BYE = _any(
    r"thank|thanks|thx|cheers|bye|that'?s (?:all|it|everything)|that (?:is|was) all|nothing else|no,? that|"
    r"never ?mind|leave it|"
    r"danke|das war alles|merci|c'est tout|gracias|eso es todo|grazie|[èe] tutto|bedankt|dank u|dat was alles|"
    r"obrigad|[ée] tudo",
    r"\[DONE\]",
)
REASON = _any(
    r"because|since\b|as (?:i|it|the)\b|by (?:mistake|accident)|twice|wrong|broken|never (?:arrived|came|got|used)|"
    r"not what|"
    r"doesn'?t|does not|didn'?t|did not|can'?t|cannot|no longer|changed my mind|don'?t (?:need|want|like)|"
    r"too (?:late|small|big)|"
    r"damaged|missing|faulty|weil\b|kaputt|parce que|porque|perch[ée]|omdat",
)
PERSON = _any(
    r"(?:speak|talk|connect(?:ed)?|put me through|pass(?:ed)?|get)(?: \S+){0,2} (?:to|with|"
    r"for) (?:\S+ ){0,2}(?:person|human|manager|supervisor|superior)",
    r"real (?:person|human)|mensch\b|persona de verdad",
)
# Another person's matter, by the customer's own words.
SOMEBODY_ELSE = _any(
    r"my (?!own\b)\w+(?: [A-Z]\w+)?(?:'s|s') (?:\S+ ){0,3}(?:order|account|membership|subscription|purchase|address)",
    r"(?:ex|ex-\w+|son|daughter|colleague|friend|mate|neighbou?r|flatmate|brother|sister|husband|wife|"
    r"partner)\b[^.\n]{0,60}"
    r"\b(?:lives?|bought|buying|orders?|address|street|membership|purchases?)\b",
    r"my (?:ex\b|ex-\w+|colleague|co-?worker|friend|neighbou?r|boss|brother|sister|wife|husband|partner|mother|"
    r"father|mum|mom|dad|"
    r"roommate|flatmate|client|son|daughter|girlfriend|boyfriend)\S*(?:'s?|s') (?:\S+ ){0,3}(?:order|account|"
    r"membership|"
    r"subscription|address|e-?mail|refund|download|purchase|phone|data)",
    r"(?:someone|somebody|another (?:person|customer)|other (?:person|customer|people))(?: else)?(?:'s)? (?:order|"
    r"account|address)",
    r"(?:order|account|membership|subscription)s? (?:of|from|belonging to) (?:my|a|another|his|her) (?:\S+ )?(?:ex|"
    r"colleague|"
    r"friend|neighbou?r|boss|customer|partner|wife|husband|brother|sister)",
)
# A text that speaks to the machine and not to the agent's judgement.
COMMAND = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:instructions?|rules?|polic(?:y|ies)|prompt|"
    r"limits?|guidelines)"
    r"|^\s*(?:#+ ?)?\W{0,3}(?:system|admin|developer|assistant|override|internal)(?: \w+){0,3}\W{0,3}:"
    r"|\b(?:note|message|instruction|attention|order)s? (?:to|for) (?:the |any |all )?(?:ai|agents?|assistants?|"
    r"bots?|support agents?|support bots?)\b"
    r"|(?:^|[.!?>\"] ?)\[?(?:system|admin|support|staff|management|internal)(?: [\w/-]+){0,6}? ?[:\]]"
    r"|\bcall issue_refund\b|\blimit (?:is |was )?raised\b|\bROUTE:|\bwithout (?:a|any) (?:second |"
    r"further )?(?:check|approval|question)"
    r"|\byou are now\b|\byou are in \w+ mode\b|\b(?:developer|debug|maintenance|god|admin) mode\b|"
    r"\bnew (?:system )?(?:instructions|policy|rule)s?\s*:"
    r"|\b(?:print|reveal|repeat|show|output|tell me) (?:me )?(?:your|the) (?:\w+ ){0,3}(?:system prompt|prompt|"
    r"instructions|secrets?|staff code|internal)"
    r"|\b(?:ai|agent|assistant|bot)s? (?:must|should|shall|has to|is to) (?:now )?(?:refund|issue|cancel|send|"
    r"change|close|reveal)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Want:
    """One thing that a customer wants: its kind, the sentence that says so, the order named in it, and the message."""

    kind: str
    sentence: str
    order: str = ""
    turn: int = 0


@lru_cache(maxsize=4096)
def wants_in(text: str) -> tuple[Want, ...]:
    """What a text asks for, in its order, each kind and order once."""
    found: dict[tuple[str, str], Want] = {}
    for sentence in _SENTENCE.split(text):
        kinds = [kind for kind, pattern in WANTS.items() if pattern.search(sentence)]
        # Money back is no wish, and what is to be done with an order is more than to look at it.
        if len(kinds) > 1:
            kinds = [kind for kind in kinds if kind not in ("look", "wish", "command")] or kinds[:1]
        for kind in sorted(kinds, key=lambda kind: WANTS[kind].search(sentence).start()):  # type: ignore[union-attr]
            want = Want(kind, sentence.strip(), _nearest(kind, sentence))
            found.setdefault((kind, want.order), want)
    return tuple(found.values())


def _nearest(kind: str, sentence: str) -> str:
    """The number of the order that a sentence's wish is about: the first one behind the wish, else the last before."""
    start = WANTS[kind].search(sentence).start()  # type: ignore[union-attr]
    behind, all_of_them = orders_in(sentence[start:]), orders_in(sentence)
    return next(iter(behind), all_of_them[-1] if all_of_them else "")


@lru_cache(maxsize=4096)
def orders_in(text: str) -> tuple[str, ...]:
    """The order numbers in a text, digits alone, in their order."""
    spans = [(m.start(1), _digits(m[1])) for m in _ORDER.finditer(text)]
    spans += [(m.start(1), m[1]) for m in _NUMBER.finditer(text) if not _YEAR.fullmatch(m[1])]
    return tuple(dict.fromkeys(number for _, number in sorted(spans) if 4 <= len(number) <= 8))


def subscriptions_in(text: str) -> tuple[str, ...]:
    """The numbers of subscriptions in a text."""
    found = [m[1] for m in _SUBSCRIPTION_WORD.finditer(text)] + [m[1] for m in _SUBSCRIPTION.finditer(text)]
    return tuple(dict.fromkeys(found))


def amounts_in(text: str) -> tuple[float, ...]:
    """The sums of money in a text."""
    return tuple(float((m[1] or m[2]).replace(",", "")) for m in _MONEY.finditer(text))


def address_in(text: str) -> str:
    """The postal address in a text; '' where there is none."""
    rest = _ORDER.sub(" ", text)
    found = _NEW_ADDRESS.search(rest) or _STREET.search(rest)
    return found[1].strip(" .,;:\"'“”«»") if found else ""


def says_yes(text: str) -> bool:
    """Whether an answer is a yes: the earlier of yes and no counts."""
    yes, no = YES.search(text), NO.search(text)
    return bool(yes) and (no is None or yes.start() < no.start())  # type: ignore[union-attr]


def says_no(text: str) -> bool:
    """Whether an answer is a no."""
    return bool(NO.search(text)) and not says_yes(text)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)
