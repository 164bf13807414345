"""Whether a customer's turn says yes or no: by word lists, in English, German, Spanish, French, Italian, Dutch and
Portuguese."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import dropwhile

from evalkit.folding import fold

# A clause and the marks that end it.
_CLAUSE = re.compile(r"(?P<said>(?:[^.,;:!?()\"\n-]|(?<=\w)-(?=\w))+)(?P<end>[^\w ]*)")
_ENDS = re.compile(r"[.!?\n]")
_WORD = re.compile(r"[^\W_]+")
_ACCENTED_SI = re.compile(r"(?<!\w)s[\u00ed\u00ec](?!\w)")
_THUMBS = re.compile("[\U0001f44d\u2705\U0001f44c][\U0001f3fb-\U0001f3ff]?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> re.Pattern[str]:
    parts = sorted((part.strip() for part in text.replace("\n", ",").split(",")), key=len, reverse=True)
    return re.compile("(?<= )(?:" + "|".join(part for part in parts if part) + ")(?= )")


# Words as they stand once folded, without accents and apostrophes. A clause that begins with one of these says yes.
STRONG = _words("yes yeah yep yup yea yess aye ja jawohl jep oui ouais sim")
# A clause that holds one of these and fillers alone says yes.
WEAK = _words(
    """
    ok okay okey sure fine good great right correct alright perfect exactly agreed accepted absolutely definitely
    certainly confirmed indeed affirmative
    klar gerne gern gut einverstanden genau richtig passt perfekt naturlich selbstverstandlich ordnung
    si vale claro bueno bien perfecto correcto exacto adelante dale acuerdo confirmo acepto
    accord parfait exactement volontiers entendu bon
    bene certo perfetto esatto daccordo accordo procedi proceda confermo certamente
    goed prima akkoord klopt zeker natuurlijk
    pode combinado aceito perfeito correto certeza
    """
)
# A turn of these and fillers alone says yes.
POLITE = _words("please bitte favor favore plait graag alstublieft alsjeblieft y k")
FILLERS = _words(
    """
    well oh ah um uh hmm and so then please bitte graag thanks thank you u very much that s is it thats all this me us
    with for by to the a of course actually really just guess think i we would be works sounds looks let go
    also dann danke vielen dank das ist es fur mich in so sehr von mir aus geht doch mal aber na
    pues entonces gracias muchas por favor de esta eso es muy me parece todo que y
    alors merci beaucoup bien sur d c est je suis tres pour moi ca s il vous te plait
    allora grazie mille per favore va d prego molto e tutto
    dan dank je wel u bedankt alstublieft alsjeblieft dat het hoor voor mij
    entao obrigado obrigada muito por favor com isso e tudo bem esta
    """
)
# These say yes wherever they stand in a clause, unless a word before or right behind them denies it.
ANYWHERE = _phrases(
    r"""
    go ahead, go for it, please proceed, please do, i confirm, i agree, i accept, sounds (?:good|fine|great|right)
    i (?:would |d |do |will )?(?:like|love|want|take) that
    please (?:refund|cancel|issue|process|send|resend) (?:it|that|them|this|both|the \w+)
    works for me, by all means, fine (?:with|by) me, ok(?:ay)? (?:with|by) me, you (?:can|may) proceed
    you have my (?:ok|okay|permission|consent), that (?:is|s) (?:right|correct|fine|ok|okay|good|perfect)
    mach(?:en sie)? (?:das|es)(?: bitte| so)?, nur zu, tun sie (?:das|es), fahren sie fort, ich bestatige
    ich bin einverstanden, geht klar, auf jeden fall, legen sie los, bitte (?:fortfahren|machen|ausfuhren)
    das (?:passt|stimmt)
    de acuerdo, hazlo, hagalo, puede (?:hacerlo|proceder|continuar), me parece bien, por supuesto, claro que (?:si|yes)
    lo confirmo, le confirmo, esta bien, adelante
    allez y, vas y, faites (?:le|la|donc|ca), je confirme, j accepte, je suis d accord, ca marche, ca me va, procedez
    vous pouvez (?:y aller|proceder|le faire|continuer), c est (?:bon|parfait|d accord|correct|exact)
    proceda pure, procedi pure, faccia pure, lo faccia, fallo, va bene, d accordo, sono d accordo, puo procedere
    (?:ga|gaat) (?:je|uw) gang, (?:ga|gaat) (?:u )?(?:door|verder), doe (?:het|maar|dat), (?:dat|het) is goed
    (?:dat|het) klopt, ik bevestig, ik ga akkoord, is goed, mee eens
    pode (?:fazer|prosseguir|seguir|avancar|continuar|ser), faca isso, prossiga, por favor faca, com certeza
    (?:vai|va) em frente, isso mesmo, de acordo, eu confirmo, esta bem
    """
)
# These say yes where a clause begins with them.
AT_START = _phrases("do (?:it|that|so), proceed, process it, make it so, of course, let s (?:do|go)(?: it| that)?")
# Words that begin an order; behind `ok` or `si` they make it a yes.
ORDERS = _words(
    """
    do go please refund cancel issue proceed process change send close resend make
    bitte mach machen por hazlo haga cancele cancela faites annulez remboursez per proceda doe graag faca cancele
    """
)
NEGATORS = _words(
    """
    not no never nor cannot nicht kein keine keinen nie niemals nunca jamas tampoco ne pas jamais non mai niet geen
    nooit nao nunca jamais
    """
)
# A clause of these and fillers alone says no, as do the openings below.
NO = _words("no nope nah nein nee non nao not nicht niet pas never nie nunca jamais mai")
NO_FILLERS = _words("way need sir sorry yet now todavia aun ainda auf keinen fall geval du tout per niente")
NO_AT_START = _phrases(
    """
    no (?:i|that|this|it|we|you|wait|do|please|actually|leave|keep|stop), do not (?:do|go|proceed|touch|bother)
    do not (?:you dare|refund|cancel|issue|process|change|send|close), i do not (?:agree|accept)
    i do not want (?:it|that|this|you)
    never mind, forget it, i (?:changed|have changed) my mind, i (?:would |d )?rather (?:not|you did not), better not
    i refuse, i decline
    nein (?:ich|das|bitte|warten), lieber nicht, besser nicht, auf keinen fall, ich (?:will|mochte) das nicht
    bitte nicht, mach(?:en sie)? (?:das|es) (?:bitte )?nicht, tun sie (?:das|es) nicht
    no (?:lo haga|lo hagas|espere|espera|estoy de acuerdo|acepto|proceda|cancele|quiero eso), mejor no
    de ninguna manera
    ne (?:le |la |l )?(?:faites|annulez|remboursez|procedez) pas, surtout pas, je ne veux pas (?:ca|cela|que)
    je ne suis pas d accord, n annulez pas, je refuse, non (?:merci|attendez)
    non (?:lo faccia|farlo|proceda|procedere|accetto|sono d accordo|voglio (?:che|questo)), meglio di no
    liever niet, beter niet, doe (?:het|dat) niet, ik wil (?:het|dat) niet, ik ga niet akkoord
    nao (?:faca|quero isso|concordo|aceito|prossiga|cancele), melhor nao, de jeito nenhum
    """
)
# Not now, or not so: behind a yes these take it back.
HOLD = _phrases(
    """
    wait, hold on, hang on, stop(?= (?:it|that)? ?$), not yet, not now, not so fast, before you, only if, unless
    (?:one|just a|a) (?:moment|second|minute|sec), let me (?:think|check|ask), on second thought
    warte(?! schon| seit), warten sie, moment, einen moment, halt, stopp, noch nicht, nicht so schnell, bevor sie
    nur wenn, lassen sie mich
    espera, espere, esperen, un momento, todavia no, aun no, ahora no, antes de, solo si, dejeme
    attends, attendez, un instant, un moment, pas encore, pas maintenant, pas tout de suite, avant de, seulement si
    laissez moi
    aspetta, aspetti, un attimo, un momento, non ancora, non adesso, prima di, solo se, mi lasci
    wacht, wacht even, een moment, momentje, nog niet, nu niet, voordat, alleen als, laat me
    aguarde, um momento, ainda nao, agora nao, so se, deixe me
    """
)
BUT = _words("but though however aber doch jedoch pero sino mais ma pero maar echter mas porem")
# Behind a `but` these change what was agreed to.
CONDITIONS = _words(
    """
    first only wait before unless until instead erst zuerst nur bevor statt primero solo antes espere espera hasta
    abord seulement avant attendez prima aspetti eerst alleen voordat wacht primeiro somente
    """
)
# Behind a `but` a no to one of these puts off what was agreed to.
TODAY = _words("today now yet heute jetzt aujourd maintenant hoy ahora oggi adesso vandaag nu hoje agora")
# What may stand before all that is looked for at the start of a clause.
OPENERS = _words(
    "well oh ah um uh hmm and so then please actually just sorry na also dann pues entonces alors allora dan entao"
)
# What begins with one of these puts no yes, whatever follows.
DOUBTS = _words(
    "how what when where why who which if whether unless wie was wann warum wenn falls como cuando porque comment "
    "quand pourquoi come quando perche se hoe wanneer waarom als"
)
ASKED_TO = re.compile("^ (?:can|could|would|will) you (?:please |just )?(?:go ahead|proceed)(?= )")
_HARMLESS = re.compile(
    "(?<= )(?:no (?:problem|problems|worries|doubt|objections?|hay problema|te preocupes|se preocupe|es problema)"
    "|not a problem|why not|kein problem|keine (?:frage|einwande)|pas de (?:probleme|souci)|sans probleme|pourquoi pas"
    "|nessun problema|senza problemi|perche no|geen (?:probleem|bezwaar)|waarom niet|sem problemas?|nao ha problema"
    "|por que no|sin problema|claro que no hay problema)(?= )"
)


def says_yes(text: str) -> bool | None:
    """Whether a turn says yes (True) or takes it back, refuses or puts it off (False); None where it does neither.

    The last of its clauses that says either decides, but what puts a yes off takes it back for good. A question says
    nothing, but for "can you go ahead?".
    """
    decided: bool | None = None
    agreed = held = False
    opens = True  # whether nothing but fillers stands before the clause in its sentence
    clauses = list(_clauses(text))
    for words, end in clauses:
        said = _asked(words) if "?" in end else _clause(words, opens=opens, alone=len(clauses) == 1)
        if said == "hold":
            held = held or agreed
            decided = False
        elif said is not None:
            agreed = agreed or said == "yes"
            decided = said == "yes"
        opens = bool(_ENDS.search(end)) or (opens and {*words} <= FILLERS)
    return False if held else decided


def _clauses(text: str) -> Iterator[tuple[list[str], str]]:
    """The plain words of each clause, and the marks behind it; a `but` begins a clause of its own."""
    for line in text.splitlines():
        plain = _ACCENTED_SI.sub("yes", fold(line).text.casefold())
        plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
        plain = _THUMBS.sub(". yes. ", plain).replace("cannot", "can not").replace("n't", " not")
        for found in _CLAUSE.finditer(f"{plain}\n"):
            words: list[str] = []
            for word in _WORD.findall(found["said"]):
                if word in BUT and words:
                    yield words, ","
                    words = []
                words.append(word)
            if words:
                yield words, found["end"]


def _asked(words: list[str]) -> str | None:
    return "yes" if ASKED_TO.match(f" {' '.join(words)} ") else None


def _clause(words: list[str], *, opens: bool, alone: bool) -> str | None:
    """What a clause says: 'yes', 'no', 'hold' or nothing; whether it `opens` its sentence, and is a turn `alone`."""
    words = _HARMLESS.sub("ok", f" {' '.join(words)} ").split()
    if words[0] in BUT:
        if CONDITIONS & {*words[1:]} or (TODAY & {*words} and NEGATORS & {*words}):
            return "hold"
        words = words[1:]
    behind = list(dropwhile(OPENERS.__contains__, words)) or words
    if not behind:
        return None
    clause, opened = f" {' '.join(words)} ", f" {' '.join(behind)} "
    if HOLD.match(opened, 1):
        return "hold"
    if {*words} <= NO | NO_FILLERS | FILLERS | WEAK and NO & {*words}:
        return "no"
    if NO_AT_START.match(opened, 1) or NO_AT_START.match(clause, 1):
        return "no"
    if {*words} <= WEAK | POLITE | FILLERS and ((opens and WEAK & {*words}) or (alone and POLITE & {*words})):
        return "yes"
    return _consents(opened, clause, behind)


def _consents(opened: str, clause: str, words: list[str]) -> str | None:
    first, behind = words[0], words[1:]
    if first in DOUBTS and {*behind} - WEAK - FILLERS - ORDERS:
        return None
    if first in STRONG:
        if behind and behind[0] in NEGATORS:
            return "no"
        return None if {"or", "and"} & {*behind[:1]} and NO & {*behind[1:2]} else "yes"
    if first in WEAK and behind and behind[0] in ORDERS and not NEGATORS & {*behind}:
        return "yes"
    found = AT_START.match(opened, 1) or ANYWHERE.search(clause)
    if found is None:
        return None
    denied = NEGATORS & {*found.string[: found.start()].split(), *found.string[found.end() :].split()[:1]}
    return "no" if denied else "yes"
