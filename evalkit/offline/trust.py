"""Signals for the trust team: people's safety, accounts, the law, rights, the press, personal data."""

from __future__ import annotations

from evalkit.offline.signal import signal

TRUST = (
    signal(
        "harm to a person",
        "trust",
        1.0,
        r"suicid|self[- ]harm|kill(?:ing)? (?:my|him|her|them|your)sel|overdos",
        r"(?:hurt|harm|cut)(?:ing|ting)? my ?self",
        r"end(?:ing)? (?:it all|my life|things|everything)|(?:want|wish|going|plan)(?:ed|ing)? to die",
        r"(?:do ?n[o']?t|dont|not|no longer) (?:really )?(?:want|wish) to (?:live|be here|be around|"
        r"exist|wake up|go on|be alive)",
        r"(?:can'?t|cannot|can not) (?:go on|do this anymore|take (?:it|this) any ?more|keep going)",
        r"(?:no|any) (?:reason|point) (?:in |to )?(?:living|live|going on|go on|being here)",
        r"better off without me",
        r"(?:won'?t|will not|not going to|not gonna|wont) be (?:here|around|needing|alive)",
        r"(?:nobody|no one|noone)(?:'ll| will| would)? (?:even )?(?:miss|notice)",
        r"(?:tired|sick) of (?:living|life|everything|all of (?:it|this)|being alive)",
        r"(?:giving|gave|given) (?:away|it all away)",
        r"this is (?:my )?goodbye|say(?:ing)? goodbye|(?:last|final) (?:message|goodbye)",
        r"life is not worth|lebensmüde",
        r"(?:nobody|no one|noone) (?:really )?(?:needs|would miss|will miss) (?:me|that|it|this)|(?:on|"
        r"off) (?:the|a) (?:bridge|roof|ledge|tracks)",
        r"nicht mehr leben|umbringen|das leben nehmen|en finir|me tuer|plus envie de vivre",
        r"no quiero (?:seguir|vivir)",
        r"quitarme la vida|niet meer leven|zelfmoord|farla finita|togliermi la vita",
        r"afraid (?:he|she|they)(?:'ll| will| might| may)",
        r"(?:hit|hits|beats|threatens|hurts) (?:me|my (?:mum|mother|son|daughter|kid|child))",
    ),
    signal(
        "taken over",
        "trust",
        0.9,
        r"hack(?:ed|er|ing)|compromised|hijack|phish|unauthori[sz]ed|identity theft|impersonat|gehackt",
        r"pirat(?:é|e)|hackead|hackerat",
        r"(?:someone|somebody|some1|a stranger|strangers?|another person|anyone) (?:else )?(?:has |"
        r"have |is |was |got |had |must have |may have )?(?:logg|chang|us(?:ed|ing)|got|get|in my|"
        r"into|on my|access|post|order|bought|broke|tak)",
        r"(?:(?:that|it|this)(?: was ?n[o']?t| isn'?t|'?s not|s not| was not| is not)|never|"
        r"not) me\b(?=[.,!;]| who| that| and|$)",
        r"(?:i )?(?:did ?n[o']?t|never) (?:make|made|change|changed|request|requested|authori[sz]e|"
        r"authori[sz]ed|order|ordered|do) (?:this|that|it|any|the|those)",
        r"(?:log ?ins?|sign[- ]?ins?|session|device)s? (?:from|in|that|i) (?:\w+ ){0,3}(?:not|never|"
        r"do ?n[o']?t|unknown|another country)",
        r"(?:log ?in|sign[- ]?in|session|access) (?:from|in) (?!the\b|your\b|my\b|a\b|different\b|"
        r"both\b)[a-zß-ÿ]+, (?:but |and )?(?:i|we)\b",
        r"(?:that|which) i (?:have )?never (?:seen|added|entered|gave|ordered|used|made)",
        r"(?:unknown|strange|unfamiliar|foreign) (?:log ?in|device|address|email|e-mail|mail|person|"
        r"session|country)",
        r"(?:password|email|e-mail|mail|address) (?:was|got|has been|were|had been) (?:changed|replaced)",
        r"(?:posting|writing|selling) as me|pretend(?:s|ing)? to be me",
        r"(?:not|never) (?:mine|seen (?:it|that|this|before))",
        r"(?:stole|stolen)\b (?:my )?(?:account|login|identity|profile)",
        r"jemand (?:anders|fremdes|hat)|fremde[rsnm]? (?:anmeldung|login|adresse|zugriff)",
        r"quelqu'un (?:d'autre|a|s'est)|alguien (?:ha|entr|m[eá]s)|iemand (?:anders|heeft)",
        r"qualcuno (?:ha|è|altro)",
    ),
    signal(
        "law",
        "trust",
        0.9,
        r"lawyers?\b|attorneys?\b|solicitors?\b|barrister|(?:our|my|legal) counsel",
        r"legal (?:action|advice|steps|department|team|proceedings|notice|claim|demand)",
        r"su(?:e|ing|ed)\b (?:you|them|the|for|over|if)|lawsuit|small claims|claim form",
        r"(?:to|in|before|county|civil) court|tribunal|court (?:order|date|claim)|cease and desist",
        r"letter before|without prejudice|(?:to|with) the police|police report|prosecut",
        r"consumer (?:protection|rights|affairs)|trading standards|ombudsman|regulator|watchdog",
        r"attorney general",
        r"data protection (?:authority|officer|commissioner)|rechtsanw|anwalt|anwält|gericht\b|klage\b",
        r"verbraucherzentrale|anzeige erstatt|avocat|justice\b|plainte|abogad|denuncia|demanda\b|juzgado",
        r"advocaat|rechtbank|aangifte|avvocat|tribunale|querela",
        unless=(
            r"(?:a|as a|am a|is a|being a|i'?m a|the|retired|law|former) (?:\w+ )?(?:lawyer|solicitor|"
            r"attorney|barrister)(?:s)?(?: by (?:trade|profession|day))?",
        ),
    ),
    signal(
        "rights in a model",
        "trust",
        0.9,
        r"copyright|trade ?mark|dmca|infring|intellectual property|plagiar|rights? (?:holder|owner)",
        r"urheberrecht|derechos de autor|droits? d'auteur|auteursrecht|diritto d'autore",
        r"(?:copied|copy of|stole|stolen|rip+ed off|ripoff|rip-off|lifted|based on) (?:from )?(?:my|"
        r"our|her|his|their)\b",
        r"(?:is|was|are|were) (?:my|our|her|his) (?:design|work|sculpt|art|model|figure|character|original)",
        r"(?:i|we|she|he|they|sister|brother|friend|client|mother|father|wife|"
        r"husband) (?:first )?(?:made|sculpted|designed|drew|created|modelled) (?:that|this|it|"
        r"the)\b.{0,80}(?:first|before|years? ago|19\d\d|20[012]\d)",
        r"take (?:it|them|that|this|those) (?:down|off|offline)",
        r"remove (?:it|the model|the listing) from (?:your|the) (?:shop|site|catalog)",
    ),
    signal(
        "press",
        "trust",
        0.9,
        r"journalis|reporter|newspaper|(?:the|a|local|national) press\b",
        r"press (?:office|inquiry|enquiry|request|deadline)|magazine|columnist|editor\b|broadcast",
        r"documentary|radio (?:show|station)",
        r"(?:go|going|goes) (?:public|to print|viral|to the media|on air)",
        r"(?:write|writing|run|running|publish|publishing) (?:an? |the |this |my )?(?:article|piece|"
        r"story|column|review about you|expos)",
        r"(?:your|a) (?:statement|comment|side of)|zeitung|presse\b|journaliste|periodista|periódico",
        r"prensa|krant|giornalist",
    ),
    signal(
        "personal data",
        "trust",
        0.9,
        r"gdpr|ccpa|dsgvo|rgpd|avg-verzoek|right to be forgotten|personal data|data protection|datenschutz",
        r"article (?:15|17)|subject access",
        r"(?:delete|erase|remove|wipe|purge|destroy|forget)(?: \w+){0,4} (?:data|account|information|"
        r"info|history|details|records?|profile|everything|me\b|traces?)",
        r"(?:everything|all|anything|whatever|what) (?:that )?(?:you|your company) (?:have|hold|store|"
        r"stored|keep|know|collected|saved|got) (?:about|on|of)",
        r"(?:copy|export|download|overview|list) of (?:all )?(?:my|the|our|her|"
        r"his) (?:personal )?(?:data|information)",
        r"machine[- ]readable",
        r"(?:meine|alle|seine|ihre) (?:\w+ )?daten|konto (?:\w+ ){0,3}lösch",
        r"(?:supprim|effac)\w+ (?:\w+ ){0,4}(?:compte|données)|mes données",
        r"(?:borr|elimin)\w+ (?:\w+ ){0,4}(?:cuenta|datos)|mis datos",
        r"(?:verwijder|wis)\w* (?:\w+ ){0,4}(?:account|gegevens)|mijn gegevens",
        r"(?:cancell|elimin)\w+ (?:\w+ ){0,4}(?:account|dati)|miei dati",
    ),
)
