"""Signals for the other desks: billing, dev and community."""

from __future__ import annotations

from evalkit.offline.signal import signal

# Whoever moves money for a customer, and what they do when a payment is taken back.
_BANK = (
    r"(?:banks?\b|bank(?:en|er)?\b|credit union|building society|card (?:company|issuer|people|firm|"
    r"provider)|visa\b|"
    r"mastercard|amex\b|american express|paypal|klarna|kreditkarte|banque|banco|banca|carte bancaire|sparkasse)"
)
_TAKEN_BACK = (
    r"(?:back\b|revers|return|undo|undone|recall|claim|disput|contest|complain|report|refund|retriev|"
    r"stop(?:ped|ping)? (?:it|the)|"
    r"block|open(?:ed|ing)? a case|case number|zurück|rück|storn|pull(?:ed|ing|s)?\b|"
    r"put(?:ting)? (?:\w+ ){0,3}back|reklam|oppos|rembours|annul|devol|reclam|terug|rimbors|contest)"
)

DESKS = (
    signal(
        "disputed payment",
        "billing",
        0.9,
        r"charge ?-?backs?",
        r"(?:disput|contest)(?:e|ed|ing|es)?\b.{0,40}(?:charge|payment|transaction|card|bank|paypal)|fraud",
        r"scam(?:med|mers|ming)?\b|rückbuch|rücklastschrift|zurückbuch",
        r"lastschrift (?:\w+ ){0,3}(?:zurück|widerruf)|terugboek|storner",
        rf"{_BANK}.{{0,100}}{_TAKEN_BACK}",
        rf"{_TAKEN_BACK}.{{0,60}}\b{_BANK}",
        r"(?:reverse|reversing|recall|recalling|claw(?:ing)? back|pull(?:ing)? back|"
        r"charge(?:d)? (?:it )?back) (?:the |this |that |my |both |it)?",
        r"(?:take|taking|pull|pulling|get|getting|claw|fetch|putting|put|have|"
        r"having) (?:\w+ ){0,4}(?:payments?|charges?|money|dollars|ones|it|them|"
        r"both)(?: \w+){0,4} back (?:myself|through|via|by|from you|with my|another way|for me)",
        unless=(
            rf"{_BANK}[^.!?\n]{{0,40}}(?:says?|said|told|thinks?|is|was) (?:\w+ ){{0,4}}(?:fine|ok|okay|"
            rf"not them|nothing|all good|in order|works?)",
            r"(?:card|bank) (?:was |got |is |has been )?(?:declined|expired|replaced|blocked|lost|renewed|new)",
        ),
    ),
    signal(
        "paid and nothing came",
        "dev",
        0.7,
        r"(?:charged|paid|payment|money|debited|taken|took|deducted|billed|abgebucht|bezahlt|débité|"
        r"payé|cobrad[oa]|pagad[oa]|betaald|afgeschreven|addebitat|pagato)\b.{0,90}(?:no order|"
        r"no (?:order )?(?:number|confirmation|receipt|credits|plan|record|trace|sign of)|"
        r"nothing (?:arrived|came|shows|appeared|happened|in|there|on)|never (?:arrived|came|showed|"
        r"got|received)|still (?:nothing|free|no\b|says)|without (?:an? )?(?:order|confirmation)|"
        r"not (?:there|showing|active|upgraded|arrived)|missing|empty|nichts|keine bestellung|"
        r"aucune commande|ningún pedido|sin pedido|geen bestelling|nessun ordine|no aparece)",
        r"(?:no order|nothing|keine bestellung).{0,60}(?:but|and|yet|aber) .{0,30}(?:charged|paid|"
        r"payment|money|debited|taken|took|abgebucht)",
    ),
    signal(
        "charged wrongly",
        "billing",
        0.5,
        r"(?:charged|billed|paid|debited|took|taken)(?: \w+){0,3} (?:twice|double|two times|2x|"
        r"3 times|three times|again|too much)",
        r"double[- ]?(?:charg|bill|paid|payment)|overcharg|wrong amount",
        r"doppelt (?:abgebucht|bezahlt|berechnet)|deux fois|dos veces|dubbel (?:betaald|afgeschreven)",
        r"due volte|compensat|goodwill|damages\b",
    ),
    signal(
        "much money back",
        "billing",
        0.6,
        r"(?:refund|reimburs|money back|return|back)\b.{0,60}(?:\$|€|£|usd|eur|dollars?|"
        r"euros?)? ?[1-9]\d{2,}\b(?! ?(?:mb|gb|mm|%))",
        r"(?:\$|€|£) ?[1-9]\d{2,}.{0,80}(?:refund|reimburs|money back|\bback\b|erstatt|rembours|"
        r"reembols|devol|terug|rimbors)",
        r"(?:yearly|annual|whole year|full year|renewal).{0,60}(?:refund|reimburs|money back|\bback\b)",
        r"(?:refund|reimburs|money back).{0,60}(?:yearly|annual|whole year|full year|exception|"
        r"even though|anyway)",
    ),
    signal(
        "payment provider",
        "billing",
        0.25,
        r"paypal|klarna|american express|amex\b|bank statement",
    ),
    signal(
        "money back",
        "billing",
        0.25,
        r"refund|reimburs|money back|erstatt|rembours|reembols|rimbors|terugbetal|geld zurück",
    ),
    signal(
        "moderation",
        "community",
        0.7,
        r"(?:un)?bann?ed\b|(?:my|this|the|a|your|permanent|lift|appeal) (?:un)?ban\b|unban|muted\b",
        r"kicked (?:out|from|off|me)|timed? ?out by|shadow ?ban|warned by",
        r"(?:your|some|one of your|one of the) mods?\b|mod (?:banned|muted|kicked|deleted)|moderators?\b",
        r"harass|bull(?:y|ied|ying)|insult(?:ed|ing|s)|threaten(?:ed|ing|s)? me|stalk(?:s|ed|ing|er)",
        r"creep(?:y|ing)|called me (?:an? )?\w+",
        r"(?:keeps?|kept|won'?t stop) (?:messaging|dming|dm'?ing|writing|pinging|insulting)",
        r"nasty (?:messages|dms|comments)",
        r"(?:schreibt|schickt|nervt|verfolgt) (?:mir|mich)\b.{0,60}(?:unangenehm|beleidig|bedroh|"
        r"jeden tag|ständig|immer wieder)|zweit(?:account|em? (?:namen|konto))",
        r"gebannt|gesperrt|gemutet|stummgeschaltet|beleidigt|belästig|gemobbt|banni|harcel|baneado",
        r"expulsad|acoso|insult|verbannen|lastiggevallen|bannat|molest",
        unless=(
            r"(?:do ?n[o']?t|dont|not|without|before|avoid|rather not)(?: \w+){0,4} (?:banned|a ban|"
            r"muted|kicked)",
            r"(?:was|got|were|been) banned (?:from|on|in) (?:another|a different|some other|facebook|"
            r"reddit|twitch|ebay|etsy)",
        ),
    ),
    signal(
        "fault that has a code",
        "dev",
        0.8,
        r"(?:error|fehler|erreur|errore|fout)(?: ?(?:code|no\.?|number|nr\.?|"
        "message))?[ :#-]*(?:[a-z]{0,6}[-_ ]?\\d{2,}|[\\\"'][^\\\"'\\n]{3,60}[\\\"'])",
        r"(?:code|ref(?:erence)?|status|http)[ :#-]+(?:[a-z]{1,6}[-_])?\d{3,}",
        r"\b5\d\d (?:error|internal|bad|server|gateway)|(?:error|err)[_-][a-z0-9_]{3,}|exception\b",
        r"stack ?trace|null pointer|undefined is not|internal server|bad gateway|gateway time-?out",
        r"\b[A-Z]{1,4}-\d{3,5}\b(?= (?:again|error|when|on|every|keeps|popup|message|code|appears|comes))",
    ),
    signal(
        "fault that many meet",
        "dev",
        0.7,
        r"(?:several|many|multiple|lots of|a lot of|other|more|three|four|five|six|seven|eight|"
        r"two) (?:other )?(?:people|users|members|customers|others|of us|friends|guys|mates|"
        r"accounts)\b.{0,80}(?:same|too|also|as well|see|have|get|problem|issue|fault|broken|error)",
        r"(?:everyone|everybody|all of us|we all|the whole (?:club|group|server)|both of us|"
        r"my (?:friend|brother|sister|mate|flatmate|colleague|wife|husband|partner|club|"
        r"buddy)(?:'s)?)\b.{0,60}(?:same (?:thing|problem|issue|error|message|fault|here)|gets? (?:it|"
        r"this|that) too|has it too|sees? it too|as well\b)",
        r"(?:same|exact(?:ly)? (?:the )?same) (?:thing|problem|issue|error|fault|message) (?:for|with|"
        r"on|as|happen)",
        r"(?:not|isn'?t) (?:just|only) me|(?:bei|auch) (?:anderen|allen|meinem freund)|andere haben",
        r"à d'autres|otros (?:usuarios|miembros)|a más gente|bij anderen|anche (?:ad )?altri",
        r"(?:other|somebody else'?s|someone else'?s|another|strangers?'?|wrong) (?:people'?s|"
        r"person'?s|customer'?s|member'?s|user'?s|names?|basket|cart|order|address|account|orders|"
        r"invoice)(?: \w+){0,3}",
    ),
    signal(
        "fault in the product",
        "dev",
        0.3,
        r"bugs?\b|crash|corrupt|(?:white|blank|black) (?:page|screen)",
        r"(?:keeps|kept) (?:failing|spinning|looping|crashing)|broken site|site is broken",
    ),
    signal(
        "asks for a person",
        "billing",
        0.5,
        r"(?:speak|talk|chat|get|put me) (?:to|with|through to) (?:an? |some |the |your )?(?:real |"
        r"actual |human |live )?(?:human|person|agent|manager|supervisor|representative|"
        r"someone in charge|boss)",
        r"real (?:human|person)|human (?:support|agent|being|please)|no (?:more )?bots?\b|echten? menschen",
        r"vrai humain|persona real|echt mens",
    ),
    signal(
        "anger",
        "billing",
        0.15,
        r"unacceptable|ridiculous|furious|disgust|worst|(?:last|final) (?:time|chance|warning)|ripp?ed off",
        r"shame on|rip ?off|unverschämt|scandal|vergüenza|schandalig",
    ),
)
