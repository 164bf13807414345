"""The words that negation is told by, in English, German, Spanish and French.

Phrases are matched against `scope`'s plain form: lower-case words with single spaces, "can't" as "can not", and the
marks `;` (an end of clause), `,` `(` `)` and `-` standing alone between spaces.
"""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())


def phrases(*lines: str) -> str:
    """A regular expression for any of the phrases, which stand between commas."""
    return "(?:" + "|".join(phrase.strip() for line in lines for phrase in line.split(",")) + ")"


# What negates the rest of its clause.
NEGATORS = words(
    """
    not never no neither nobody nothing none nowhere unable impossible ineligible
    nicht kein keine keinen keinem keiner keines nie niemals weder
    nunca jamás tampoco ningún ninguna ninguno
    pas jamais aucun aucune
    """
)
# The other half of a negator ("neither … nor", "ne … pas"), a negator only where the first half is missing.
PARTNERS = words("nor noch ni ne rien")
# These negate where "to" follows.
REFUSALS = words("refuse refuses refused refusing decline declines declined declining")
# These reach no further than so many words, and not beyond a new subject.
REACH = {"without": 4, "ohne": 4, "sin": 4, "sans": 4, "non": 0}
# One of these words stands in every negation as people write it; "t" comes from "don't", "n" from "n'est".
SIGNS = frozenset(
    NEGATORS
    | PARTNERS
    | REFUSALS
    | REACH.keys()
    | words(
        """
        t n nt cannot cant wont dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt couldnt shouldnt wouldnt
        mustnt neednt mightnt aint shant unavailable excluded ruled out off denied rejected declined refused
        """
    )
)

# A negator in one of these negates nothing of what follows.
IDIOMS = re.compile(
    " (?:"
    r"(?:not|never) (?:\w+ ){1,3}enough|or not|why not|if not|in no time|no \d+"
    r"|no (?:\w+ )?(?:longer|later|less|more|sooner) than"
    "|never (?:fail|refuse|hesitate)"
    "|not "
    + phrases(
        "only, just, merely, simply, solely, least, to mention, to worry, worry, be worried, be afraid, be shy",
        "hesitate, forget, panic, wait, miss, mind, matter, an? problem, an? issue, all, every, everyone, always",
        "be (?:easier|happier|simpler|more), too (?:late|early|soon|far), necessarily, uncommon, unusual, unlikely",
        "refuse, withhold, doubt, fail, unreasonable, lost, lose",
        "affect, prevent, stop, delay, impact, influence, block, void, forfeit, jeopardi[sz]e, exclude, rule out",
        "deny",
    )
    + "|no (?:(?:extra|additional|further|other|hidden|big|more) )*"
    + phrases(
        "problems?, worry, worries, doubt, matter, trouble, hassle, rush, hurry, wonder, limits?, deadlines?, delays?",
        "charges?, fees?, costs?, catch, penalty, penalties, changes?, difference, issues?, sooner, strings, risk",
        "fuss, questions?, quibbles?, obligation(?! to)",
    )
    + "|nothing (?:to (?:worry|lose|fear)|(?:stands|is) in|stops|prevents|affects|changes|delays)"
    + "|without (?:(?:any|further|much) )*"
    + phrases("delays?, problems?, doubt, hesitation, fail, trouble, issues?, hassle, question, affecting, losing")
    + "|"
    + phrases(
        "nicht (?:nur|bloß|allein|zuletzt), kein problem, keine? (?:sorgen?|frage|zweifel|angst)",
        "ohne (?:zweifel|frage)",
        "no (?:s[oó]lo|solamente|se preocupe|te preocupes|dudes?|hay problema|hay duda)",
        "sin (?:duda|problemas?|falta), pas (?:seulement|de (?:probl[eè]me|souci|doute))",
        "(?:ne )?(?:vous )?(?:h[eé]sitez|inqui[eé]tez) pas, sans (?:doute|probl[eè]me|faute)",
    )
    + ")(?= )"
)
# A negated question or suggestion: "don't you get a refund?"
INVERTED = re.compile(
    r"^ (?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should) not"
    r" (?:you|we|i|they|he|she|it|there|your|my|our|the|this|that|these|those) "
)
# These deny that a thing has to be done, not the thing, unless it stands right behind them.
DUTIES = re.compile(
    r" (?:not (?:need|have|required|obliged|necessary|be required|be necessary) to"
    r"|no (?:need|reason|obligation) to|no need for)(?= )(?P<direct> (?:(?:a|an|the|any|your) )?$)?"
)
# What may stand between a negator and the idiom that it begins.
FILLERS = re.compile(r" (?P<negator>not|never) (?:yet|even|ever|before|once)(?= )")

_ASIDES = phrases(
    "unfortunately, sadly, regrettably, alas, of course, however, though, i (?:am|m) (?:afraid|sorry)",
    "we (?:are|re) (?:afraid|sorry), i (?:am|m) sorry to say, i fear, sorry, currently, at present, at least",
    "at (?:this|the) (?:time|moment|point|stage), as you know, as such, as it stands, as a rule, as of now, for now",
    "for the moment, for (?:legal|security|privacy) reasons, for your security, to be (?:honest|clear|fair)",
    "in (?:this|your|any) case, in general, in principle, in fact, under (?:any|no|these|the) circumstances",
    "generally, normally, usually, by the way",
    "leider, derzeit, lamentablemente, desgraciadamente, malheureusement, hélas",
)
# Asides that leave the clause as it is, with the marks around them.
ASIDES = re.compile(f" [,(-] (?:and |but )?{_ASIDES} [,)-](?= )")

# Words that begin a clause of their own.
OPENERS = words(
    """
    but so however though although because since yet instead then unless until till when while whereas if whether why
    how where who what which once after before during following despite otherwise therefore hence thus except than
    aber sondern sodass weil obwohl wenn denn jedoch doch bis sobald
    pero sino porque aunque cuando si hasta
    mais parce quoique quand lorsque
    """
)
# What is asked or doubted under one of these is in doubt.
QUESTIONS = words("why how whether if what where who which")
CONDITIONS = words("if when since because although though once while unless as wenn weil obwohl cuando si quand")
SUBJECTS = words("i we you he she they it there ich wir du sie er es yo nous vous je tu il elle")
DETERMINERS = words("a an the your our my his her their this that these those every each ein eine der die das ihr ihre")
VERBS = words(
    """
    is are was were be been has have had do does did can could will would shall should may might must
    s re ve ll d m get gets got receive receives
    """
)
# Behind a negator, the verb of what follows: "files that do not print are …" denies the printing alone.
PREDICATES = words("is are was were will shall")
TAKES = words("get gets got receive receives")
# What is denied under one of these is what follows it: "we don't think you will get …".
REPORTS = words(
    """
    think believe promise guarantee say confirm expect know mean suggest imply claim assume assure state sure certain
    """
)
# "You need no receipt for a refund" denies the receipt.
THINGS = words("receipt receipts fee fees charge charges cost costs limit limits action proof form ticket code login")
OBJECTS = words("it them this him her us me")
AND, OR = words("and und y et"), words("or nor oder o ou")

# A note in brackets, which says nothing about what goes on behind it.
NOTE = re.compile(r"^ \( [^()]{0,60} \)(?= )")
# What may still belong to a hit that precedes it: a noun, a second one, a prepositional phrase.
_BELONGING = (
    r"(?: (?:requests?|claims?|options?|payments?))?(?:(?: ,)? (?:and|or) (?!(?:is|are|was|were) )\w+)?"
    r"(?: (?:of|for|on|in|to|from|at|by|after|within|outside|beyond|under|with|made|requested|für|auf|de|del|sobre"
    r"|pour|sur)(?: (?!(?:and|but|so|you|we|i|they|it|,) )[\w.,$%]+){1,9}?)?"
)
_ENGLISH = (
    " (?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must)"
    r"(?: \w+ly)? (?:not|never|no longer)"
    r"(?: (?:yet|always|ever|be|been|being|even|(?!only )\w+ly|going to|able to be|an?|any|the|part of)){0,4} "
    + phrases(
        "possible, available, offer(?:ed)?, allowed, given, issued, permitted, options?, included, supported",
        "granted, accepted, processed, something (?:that )?(?:we|i|our), eligible, provided, made, approved, covered",
        "refundable, valid, authori[sz]ed, in our power, applicable, apply, exist, qualify, promised, paid, done",
        "on offer, on the table, entitled",
    ),
    r" (?:is|are|was|were|will be|would be)(?: \w+ly)? "
    + phrases("impossible, unavailable, excluded, ruled out, out of the question, off the table"),
    " (?:is|are|was|were|has been|have been|will be|would be) " + phrases("denied, rejected, declined, refused"),
)
_GERMAN = (
    r" (?:ist|sind|war|waren|wird|werden|kann|können)(?: \w+)? (?:nicht|nie) "
    + phrases("möglich, verfügbar, vorgesehen, erlaubt, gestattet, enthalten, angeboten, gewährt, erstattet"),
    r"(?: \w+){0,4} nicht(?: mehr| zurück)?(?= $)",
    r"(?: \w+){0,2} kein(?:e|en|em|er|es)?",
)
_ROMANCE = (
    r" no (?:es|son|está|están|será|serán|se puede|se pueden)(?: \w+)? "
    + phrases("posibles?, disponibles?, permitid[oa]s?, ofrecid[oa]s?, aceptad[oa]s?"),
    r" ne (?:est|sont|sera|seront|peut|peuvent)(?: \w+)? (?:pas|plus|jamais)(?: \w+)? "
    + phrases("possibles?, disponibles?, autorisée?s?, proposée?s?, acceptée?s?"),
)
# What denies the hit that it follows; the predicates are a closed list, since "your refund is not late" denies nothing.
DENIALS = re.compile(f"^{_BELONGING}(?:{'|'.join((*_ENGLISH, *_GERMAN, *_ROMANCE))})(?= )")
# A label that says so: "Refund: no", "| Refund | not possible |".
LABELS = re.compile(
    r"[*_\s]*[:|][*_\s]*"
    + phrases("no, none, not (?:possible|available|offered|allowed|included|permitted|eligible), unavailable, excluded")
    + r"[*_\s]*(?:[-.;,(|\n]|$)",
    re.IGNORECASE,
)
