"""The stock phrases of a customer in the languages that personas speak, and what an agent's message does."""

from __future__ import annotations

import re

# English has more wordings; each of the others has enough for a conversation of eight turns.
STOCK: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "hello": ("Hello.", "Hi.", "Hi there!", "Good morning."),
        "want": ("I would like to {wish}.", "I want to {wish}.", "I need to {wish}, please."),
        "cross": ("I am really annoyed.", "This has gone on long enough.", "I am fed up with this."),
        "lost": ("Sorry, I am not good at this.", "I am a bit confused.", "I hope this is the right place."),
        "yes": ("Yes, please.", "Yes, please do that.", "Yes, go ahead."),
        "no": ("No, that is not what I want.", "No, please not that."),
        "again": ("What I want is to {wish}.", "My request is to {wish}.", "As I said, I would like to {wish}."),
        "press": (
            "I do not accept that. I still want to {wish}.",
            "Surely you can make that possible. I want to {wish}.",
            "That is not good enough. I insist: I want to {wish}.",
        ),
        "person": ("Then I would like to speak to a person.", "In that case, please let me talk to a person."),
        "less": ("No, I want {amount} back, not less.", "No, it has to be {amount}."),
        "unknown": ("I do not know that, sorry.", "Sorry, I have no idea.", "I cannot tell you that, I don't have it."),
        "reason": (
            "I have no other reason: I just want to {wish}.",
            "There is not much to say, I simply want to {wish}.",
        ),
        "more": (
            "Thanks. Could you tell me a little more about that?",
            "I see. Is there more that I should know about it?",
        ),
        "ask_refund": ("Thanks. And when will the refund reach my card?", "Good. How many days does the refund take?"),
        "ask_cancel": ("Thanks. And what happens to my saved credits?", "Good. Do I keep my models after that?"),
        "ask_link": ("Thanks. And how long is the new link valid?", "Great. How often can I use that link?"),
        "ask_address": ("Thanks. And do I get the invoice again?", "Good. Where do I find the new invoice then?"),
        "other": ("And there is the other thing: {wish}.", "Please do not forget the rest: {wish}."),
        "fine": ("All right.", "Okay, I see.", "Good, I will wait."),
        "thanks": (
            "Thank you, that is all.",
            "Great, thanks for your help. That is all.",
            "Thanks, that was all I needed.",
        ),
        "give_up": (
            "Then I leave it, but I am not happy.",
            "All right, then never mind.",
            "Then I will leave it at that.",
        ),
    },
    "de": {
        "hello": ("Guten Tag.", "Hallo."),
        "yes": ("Ja, bitte.", "Ja, bitte machen Sie das.", "Ja, genau."),
        "no": ("Nein, das möchte ich nicht.", "Nein, bitte nicht."),
        "again": ("Es geht mir darum: {wish}.", "Noch einmal: {wish}.", "Wie gesagt: {wish}."),
        "press": ("Das akzeptiere ich nicht: {wish}.", "Das muss doch gehen: {wish}.", "Ich bestehe darauf: {wish}."),
        "less": ("Nein, es müssen {amount} sein.", "Nein, ich will {amount} zurück."),
        "unknown": ("Das weiß ich leider nicht.", "Keine Ahnung, tut mir leid.", "Das kann ich Ihnen nicht sagen."),
        "reason": ("Einen weiteren Grund habe ich nicht.", "Da gibt es nicht mehr zu sagen."),
        "more": ("Danke. Muss ich dafür etwas tun?", "Verstehe. Was muss ich dafür noch machen?"),
        "ask": ("Danke. Wie lange dauert das?", "Gut. Bekomme ich darüber eine Bestätigung?"),
        "other": ("Und dann noch das andere: {wish}.", "Bitte auch noch: {wish}."),
        "fine": ("In Ordnung.", "Gut, ich warte."),
        "thanks": ("Danke, das war alles.", "Vielen Dank für die Hilfe, das war alles."),
        "give_up": ("Dann lasse ich es eben.", "Na gut, dann nicht."),
        "refund": ("ich möchte mein Geld zurück, eine Erstattung für die Bestellung {order}",),
        "cancel": ("ich möchte mein Abo kündigen {subscription}",),
        "link": ("ich brauche einen neuen Downloadlink für die Bestellung {order}",),
        "address": ("ich möchte die Lieferadresse der Bestellung {order} ändern",),
    },
    "es": {
        "hello": ("Hola.", "Buenos días."),
        "yes": ("Sí, por favor.", "Sí, adelante.", "Sí, de acuerdo."),
        "no": ("No, eso no es lo que quiero.", "No, eso no."),
        "again": ("Lo que quiero es esto: {wish}.", "Repito: {wish}.", "Como decía: {wish}."),
        "press": ("No lo acepto: {wish}.", "Tiene que ser posible: {wish}.", "Insisto: {wish}."),
        "less": ("No, quiero {amount}, no menos.", "No, tienen que ser {amount}."),
        "unknown": ("Eso no lo sé.", "Lo siento, no lo sé.", "No se lo puedo decir."),
        "reason": ("No tengo otra razón.", "No hay mucho más que decir."),
        "more": ("Gracias. ¿Tengo que hacer algo para eso?", "Entiendo. ¿Y qué tengo que hacer yo?"),
        "ask": ("Gracias. ¿Cuánto tarda eso?", "Bien. ¿Recibo una confirmación de eso?"),
        "other": ("Y también lo otro: {wish}.", "Falta lo otro: {wish}."),
        "fine": ("De acuerdo.", "Bien, espero."),
        "thanks": ("Gracias, eso es todo.", "Muchas gracias por la ayuda, eso es todo."),
        "give_up": ("Entonces lo dejo.", "Bueno, pues nada."),
        "refund": ("quiero un reembolso del pedido {order}",),
        "cancel": ("quiero cancelar mi suscripción {subscription}",),
        "link": ("necesito un nuevo enlace de descarga para el pedido {order}",),
        "address": ("quiero cambiar la dirección del pedido {order}",),
    },
    "fr": {
        "hello": ("Bonjour.", "Bonsoir."),
        "yes": ("Oui, s'il vous plaît.", "Oui, allez-y.", "Oui, d'accord."),
        "no": ("Non, ce n'est pas ce que je veux.", "Non, surtout pas."),
        "again": ("Voici ce que je veux : {wish}.", "Je répète : {wish}.", "Comme je le disais : {wish}."),
        "press": ("Je ne l'accepte pas : {wish}.", "Cela doit être possible : {wish}.", "J'insiste : {wish}."),
        "less": ("Non, je veux {amount}, pas moins.", "Non, il me faut {amount}."),
        "unknown": ("Je ne le sais pas.", "Désolé, aucune idée.", "Je ne peux pas vous le dire."),
        "reason": ("Je n'ai pas d'autre raison.", "Il n'y a rien à ajouter."),
        "more": ("Merci. Dois-je faire quelque chose pour cela ?", "Je vois. Et que dois-je faire moi-même ?"),
        "ask": ("Merci. Combien de temps cela prend-il ?", "Bien. Est-ce que je reçois une confirmation ?"),
        "other": ("Et aussi l'autre chose : {wish}.", "Il reste ceci : {wish}."),
        "fine": ("D'accord.", "Bien, j'attends."),
        "thanks": ("Merci, c'est tout.", "Merci beaucoup de votre aide, c'est tout."),
        "give_up": ("Alors je laisse tomber.", "Bon, tant pis."),
        "refund": ("je voudrais un remboursement de la commande {order}",),
        "cancel": ("je voudrais résilier mon abonnement {subscription}",),
        "link": ("il me faut un nouveau lien de téléchargement pour la commande {order}",),
        "address": ("je voudrais changer l'adresse de la commande {order}",),
    },
    "it": {
        "hello": ("Buongiorno.", "Salve."),
        "yes": ("Sì, per favore.", "Sì, va bene.", "Sì, certo."),
        "no": ("No, non è quello che voglio.", "No, questo no."),
        "again": ("Quello che voglio è: {wish}.", "Ripeto: {wish}.", "Come dicevo: {wish}."),
        "press": ("Non lo accetto: {wish}.", "Deve essere possibile: {wish}.", "Insisto: {wish}."),
        "less": ("No, voglio {amount}, non meno.", "No, devono essere {amount}."),
        "unknown": ("Non lo so.", "Mi dispiace, non ne ho idea.", "Non glielo so dire."),
        "reason": ("Non ho altre ragioni.", "Non c'è altro da dire."),
        "more": ("Grazie. Devo fare qualcosa?", "Capisco. E io che cosa devo fare?"),
        "ask": ("Grazie. Quanto tempo ci vuole?", "Bene. Ricevo una conferma?"),
        "other": ("E poi l'altra cosa: {wish}.", "Manca ancora questo: {wish}."),
        "fine": ("Va bene.", "Bene, aspetto."),
        "thanks": ("Grazie, è tutto.", "Grazie mille per l'aiuto, è tutto."),
        "give_up": ("Allora lascio perdere.", "Va bene, pazienza."),
        "refund": ("vorrei un rimborso per l'ordine {order}",),
        "cancel": ("vorrei disdire il mio abbonamento {subscription}",),
        "link": ("mi serve un nuovo link per il download dell'ordine {order}",),
        "address": ("vorrei cambiare l'indirizzo: l'indirizzo dell'ordine {order}",),
    },
    "nl": {
        "hello": ("Goedendag.", "Hallo."),
        "yes": ("Ja, graag.", "Ja, doe dat maar.", "Ja, prima."),
        "no": ("Nee, dat wil ik niet.", "Nee, liever niet."),
        "again": ("Het gaat mij hierom: {wish}.", "Nog een keer: {wish}.", "Zoals ik zei: {wish}."),
        "press": ("Dat accepteer ik niet: {wish}.", "Dat moet toch kunnen: {wish}.", "Ik sta erop: {wish}."),
        "less": ("Nee, ik wil {amount} terug, niet minder.", "Nee, het moet {amount} zijn."),
        "unknown": ("Dat weet ik niet.", "Sorry, geen idee.", "Dat kan ik u niet zeggen."),
        "reason": ("Een andere reden heb ik niet.", "Meer valt er niet te zeggen."),
        "more": ("Bedankt. Moet ik daar iets voor doen?", "Ik begrijp het. En wat moet ik zelf doen?"),
        "ask": ("Bedankt. Hoe lang duurt dat?", "Goed. Krijg ik daar een bevestiging van?"),
        "other": ("En dan nog het andere: {wish}.", "Vergeet dit niet: {wish}."),
        "fine": ("Goed.", "Prima, ik wacht."),
        "thanks": ("Bedankt, dat was alles.", "Hartelijk dank voor de hulp, dat was alles."),
        "give_up": ("Dan laat ik het maar.", "Nou ja, dan niet."),
        "refund": ("ik wil mijn geld terug, een terugbetaling voor bestelling {order}",),
        "cancel": ("ik wil mijn abonnement opzeggen {subscription}",),
        "link": ("ik heb een nieuwe downloadlink nodig voor bestelling {order}",),
        "address": ("ik wil het adres wijzigen van bestelling {order}",),
    },
    "pt": {
        "hello": ("Olá.", "Bom dia."),
        "yes": ("Sim, por favor.", "Sim, pode fazer isso.", "Sim, claro."),
        "no": ("Não, não é isso que eu quero.", "Não, isso não."),
        "again": ("O que eu quero é: {wish}.", "Repito: {wish}.", "Como eu disse: {wish}."),
        "press": ("Não aceito isso: {wish}.", "Tem de ser possível: {wish}.", "Insisto: {wish}."),
        "less": ("Não, quero {amount}, não menos.", "Não, têm de ser {amount}."),
        "unknown": ("Isso eu não sei.", "Desculpe, não faço ideia.", "Não lhe sei dizer."),
        "reason": ("Não tenho outra razão.", "Não há mais nada a dizer."),
        "more": ("Obrigado. Tenho de fazer alguma coisa?", "Entendo. E o que tenho de fazer?"),
        "ask": ("Obrigado. Quanto tempo demora isso?", "Certo. Recebo uma confirmação disso?"),
        "other": ("E também a outra coisa: {wish}.", "Falta ainda isto: {wish}."),
        "fine": ("Está bem.", "Certo, eu espero."),
        "thanks": ("Obrigado, é tudo.", "Muito obrigado pela ajuda, é tudo."),
        "give_up": ("Então deixo como está.", "Pronto, paciência."),
        "refund": ("quero um reembolso da encomenda {order}",),
        "cancel": ("quero cancelar a minha assinatura {subscription}",),
        "link": ("preciso de um novo link de download para a encomenda {order}",),
        "address": ("quero alterar o endereço da encomenda {order}",),
    },
}


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


# What an agent's sentence does.
ELSE = _any(
    r"anything else|something else|else (?:that )?I can|does that (?:answer|help)|sonst noch|algo más|autre chose|"
    r"altro per lei|"
    r"nog iets|mais alguma"
)
OFFERS = _any(
    r"\b(?:shall|should) I\b|(?:want|like) me to\b|may I (?!ask|have|know)|can I go ahead|is that (?:ok|okay|right|"
    r"correct|fine)|"
    r"(?:do|can|could) you confirm|please confirm|please answer with yes|do you agree|"
    r"soll ich|möchten sie, dass ich|sind sie einverstanden|quiere que|desea que|voulez-vous que|dois-je|zal ik|"
    r"vuole che|quer que|"
    r"proceed\?|go ahead\?"
)
PASSES_ON = _any(
    r"\b(?:pass|hand|forward|transfer|escalate|connect)\w*\b.{0,60}\b(?:team|person|colleague|human|specialist|it|this)"
)
HANDED = _any(
    r"\b(?:have|has been|have been|is being|'ve|am|was|now)\b.{0,20}\b(?:passed|handed|passing|handing|forwarded|"
    r"escalated|transferr\w+|connect\w+)\b",
    r"a (?:person|colleague|human|specialist)\b.{0,30}\bwill (?:reply|contact|get back|write|take|be in touch)",
    r"weitergeleitet|übergeben|he pasado|transmis|doorgestuurd|trasmesso|encaminhei|encaminhado",
)
REFUSES = _any(
    r"\b(?:can ?not|can't|could not|couldn't|unable|not able|not allowed|not possible|not permitted|won't|will not|"
    r"do not offer|"
    r"don't offer|not something|not eligible|only (?:talk|speak|share|discuss)|nothing (?:that )?I can do|say no)\b",
    r"leider|kann ich nicht|lamentablemente|no puedo|malheureusement|ne peux pas|helaas|kan ik niet|purtroppo|"
    r"non posso|infelizmente|não posso",
)
FAREWELL = _any(
    r"good ?bye|have a (?:good|nice|great|lovely) day|take care|you are welcome|you're welcome|ticket is closed|"
    r"auf wiedersehen|adiós|au revoir|arrivederci|tot ziens"
)
DID = {
    "refund": _any(
        r"\brefunded\b|(?:issued|processed|made|sent)\b.{0,20}\brefund|refund (?:has been|was|is) (?:issued|"
        r"processed|on its way|made|sent)|erstattet|reembolsad|remboursé|rimborsat|terugbetaald"
    ),
    "cancel": _any(
        r"cancell?ed\b|cancellation (?:is|has been|was) (?:done|confirmed|set)|gekündigt|cancelad|résilié|annullat|"
        r"disdett|opgezegd"
    ),
    "link": _any(
        r"\b(?:re-?sent|sent|created|issued|renewed|refreshed)\b.{0,40}\blink|link (?:has been|was|is) (?:re-?sent|"
        r"sent|renewed)|is a new (?:download )?link|link gesendet|enlace enviad|lien envoyé"
    ),
    "address": _any(
        r"\b(?:changed|updated|corrected)\b.{0,40}\baddress|address (?:has been|was|is) (?:now )?(?:changed|updated|"
        r"corrected)|adresse geändert"
    ),
}
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
