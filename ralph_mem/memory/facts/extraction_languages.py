"""Find the orders, reproaches and customs that hold in German, French, Spanish, Portuguese and Italian sentences."""

import re

from ralph_mem.memory.facts import extraction_passing as passing
from ralph_mem.memory.facts.extraction_passing import form
from ralph_mem.memory.rows.facts import CORRECTION, FACT, PREFER, RULE

# The commonest words of English, and of each of the others, none of which is English.
ENGLISH = frozenset(
    "the a an and or but not no do don't dont in on of to for with from by is are was be we you i it this that our your my all use"
    " run always never must should when every any if as at please keep only have has just why so then than over before after"
    " into".split()
)
WORDS = {
    "German": frozenset(
        "der die das und ist sind nicht ein eine einen mit auf für den dem des wir ich du ihr es immer nie niemals bitte kein"
        " keine keinen wenn dass nur auch noch schon wird werden muss müssen soll sollen darf dürfen bei von zu im vor nach"
        " hast habe hat haben wieder alle alles jede jeden jeder überall statt sondern hier aber oder wie vorher ohne ab jetzt"
        " heute sofort künftig merk merke merken dir notier notiere denk dran über lieber ins beim zur zum vom mehr montags"
        " dienstags mittwochs donnerstags freitags samstags sonntags wochenende".split()
    ),
    "French": frozenset(
        "le la les des est une un pas dans pour avec toujours jamais et il elle on nous vous tu je ne de du que qui ce c'est cette"
        " ces sur sont tout tous toutes toute par sans mon ma mes ici plutôt désormais faut chaque encore as aux au en ou mais"
        " utilise projet avant après".split()
    ),
    "Spanish": frozenset(
        "el los las que con por para siempre nunca una un es son del al y en se lo su sus pero como todo todos toda todas aquí sin"
        " usa usamos has he hay esta este está cada antes otra vez muy más también ya si cuando la de no proyecto"
        " nada qué primero".split()
    ),
    "Portuguese": frozenset(
        "o os a as um uma que não no na nos nas do da dos das de em para pra pro por com é são se gente nós aqui sempre nunca só"
        " mas ele ela você também já isso esse essa este está vai vem vêm tem foi novo tudo cada antes quando projeto".split()
    ),
    "Italian": frozenset(
        "il lo la i gli le un una uno che non per con di del della dei delle nel nella è sono si ci noi qui sempre mai solo questo"
        " questa ma da dal al alla hai ho ha hanno come anche più già su in ogni tutto tutti prima quando progetto niente"
        " usa usiamo facciamo".split()
    ),
}  # fmt: skip
FEWEST_WORDS, LEAST_KNOWN = 3, 2  # of a sentence, and of those that are known in its language
SURE, LIKELY = 0.8, 0.6  # of an order or a reproach; of what people do here


# How a German order in the infinitive ends; what happened ends much like it.
DE_INFINITIVE = (
    r"\b(?:immer|nie|niemals) (?:[\w./-]+ )*(?!\w*ge(?:komm|lauf|fund|gang|fall|blieb|lad|seh|schrieb|broch|nomm|troff|worf|zog)en"
    r"|(?:\w*worden|\w*gewesen|verschwunden|erschienen)\b)\w{2,}(?:en|ern|eln)[.!]*$"
)
# Of a few words with names among them one may be all that is known: what is then in no other language.
ONE_IS_ENOUGH = {
    "German": re.compile(DE_INFINITIVE, re.IGNORECASE),
    "Spanish": re.compile(r"^recuerda\b.*\b(?:nunca|siempre)\b", re.IGNORECASE),
}


# Few words that begin with no order to do one thing.
DE_BARE = (
    r"^(?!(?:der |die |das |den |es |ein |mach|bau|zeig|fix|prüf|änder|schau|füg|ergänz|entfern|lösch|benenn|räum|neue|erstell"
    r"|schreib|teste|kannst"
    r"|erklär)\w*\b)"
)
# A sentence that tells something has one of these in front; an order in the infinitive has none.
DE_TELLS = (
    r"^(?!(?:.*\b(?:die|der|das|dass|weil|wenn|ob|wie|warum|wo) (?:immer|nie|niemals)|(?:der|die|das|ein\w*|dies\w*|mein\w*"
    r"|sein\w*|ihr\w*|es|er|sie|ich|man|warum|wieso|weil|wenn|dass|ob|läuft|geht|kommt|kam|ist|war|hat|wird|klappt|passiert|will|kann)\b"
    r"|.*\b(?:ich|es|sie|er|man|ist|sind|war|waren|hat|haben|wird|werden|würde\w*|könn\w+|woll\w+|habe)\b))"
)
FR_BARE = (
    r"^(?!(?:ajout|corrig|supprim|affich|chang|renomm|cré|fais|mets|vérifi|montr|regard|nouve|déplac|rempla|expliqu|peux|lance"
    r"|refai|la |le |les )\w*\b)"
)
ES_BARE = (
    r"^(?!(?:añad|arregl|cre|cambi|corrig|instal|muestr|nuev|haz|quit|borr|revis|explic|pon|mueve|renombr|la |el |los |las )\w*\b)"
)
# Kind, how likely it holds, what it looks like; the first that matches counts.
FORMS = {
    "German": (
        (CORRECTION, SURE, form(
            r"\bdu hast\b.{3,}\b(?:wieder|schon wieder|nochmal|trotzdem)\b", r"\b(?:habe?|hatte) (?:ich )?(?:es )?(?:dir|doch|schon"
            r"|bereits)\b.*\bgesagt\b", r"\b(?:schon|wieder) (?:gesagt|\w+, (?:das|die|der|wir))\b",
            r"^(?:warum|wieso) .{3,}\b(?:schon )?wieder\b", r"^(?:schon |und |nicht )*wieder\b.*, \w+",
            r"\bdas machen wir (?:hier )?(?:nicht|nie)\b", r"\bhier fehlt (?:der|die|das)\b.*\b(?:wieder|schon)\b")),
        (RULE, SURE, form(
            r"\b(?:ab (?:jetzt|sofort|heute (?=nur|nie|immer|kein|bitte|nicht))|künftig|in zukunft|grundsätzlich|generell"
            r"|prinzipiell)\b",
            r"^(?:und |bitte |also )*(?:merke?n?|notiere?n?|denke? d(?:a)?ran|vergiss nicht)\b(?: (?:dir|dich|euch|bitte))*[:,]? .*"
            r"\b(?:immer|nie|niemals|nur|nicht|keine?n?|statt|wir)\b",
            DE_TELLS + r".*" + DE_INFINITIVE,
            DE_TELLS + r"(?:bitte )?[\w.-]+ (?:nie|niemals|immer) (?:\w+tags|am|an|auf|in|im|ins|ohne|vor|nach|mit|als|von|vom|per"
            r"|über|aus|bei|beim|zu|zum|zur)\b",
            r"\b(?:immer|nur|lieber) [\w./-]+ statt [\w./-]+[.!]*$",
            r"\b(?:verboten|tabu|pflicht|nicht erlaubt|vorgeschrieben|ohne (?:mich zu fragen|rücksprache|rückfrage))\b",
            r"\b(?:bitte|muss|müssen|sollt?en?|d[aü]rf(?:en|st|t)?|niemand|du)\b.*\b(?:immer|nie|niemals|nur|jede[nrs]?)\b",
            r"^(?:und |nein,? |bitte |also )*(?:keine?n?|nie|niemals|immer|nicht|jede\w*)\b.*\w(?:en|rn|ln)"
            r"(?:, (?:niemals|nie|immer))?[.!]*$",
            r"^(?:nein,? |bitte )*(?:kein|keine|keinen|nicht|ohne) [\w./-]+(?: [\w./-]+){0,3},(?: sondern| lieber| nur| nimm"
            r"| bitte| alles)*"
            r" [\w./-]+(?: [\w./-]+){0,3}[.!]*$",
            DE_BARE + r"(?:[\w./-]+ ){1,4}(?:nur|bitte) (?:auf|in|für|mit|über|aus|bei|per|nach|als) [\w./-]+(?: [\w./-]+)?[.!]*$",
            DE_BARE + r"(?:[\w./-]+,? ){2,4}bitte[.!]*$",
            r"\b(?:wird|werden) (?:\w+ ){0,2}(?:nicht|nie|niemals|nichts) \w+t[.!]*$", r"\bfinger weg\b", r"\bdenk an\b",
            r"^(?!.*\bdas darf\b).*\bdarf (?:\w+ ){0,4}(?:nicht|nichts) \w+t\b",
            r"\b(?:mache?|entscheide|tagge|merge|release) nur ich\b",
            r"\bohne .{3,40} (?:wird|werden) nichts\b", r"\bniemals \w+", r"\bimmer (?:mit|ohne|in|auf|als)\b",
            r"\bdas gilt\b", r"\bwie (?:immer|überall|üblich)\b",
            r"^(?!\w*nutzer)(?:verwende|nutze?|benutze?|nimm|schreib|mach|lass|führ|frag|änder|commit"
            r"|push)\w* .*\b(?:immer|nie|niemals|nur"
            r"|statt|überall|, nicht|, kein)\b", r"\bnicht \w+[^,]*, sondern\b", r"\b(?:vor|nach|bei) jede[mrn]\b")),
        (PREFER, SURE, form(
            r"\bich (?:möchte|will|mag|bevorzuge|hätte gern)\b.*\b(?:keine?n?|lieber|immer|nie|kurz\w*|nur)\b",
            r"\b(?:antworte|schreib|sprich|rede)\b.*\b(?:auf|in) \w+isch\b", r"\bkurze antworten\b")),
        (FACT, LIKELY, form(
            r"\b(?:bei uns|in diesem projekt|in unserem?)\b", r"\bwir (?:verwenden|nutzen|benutzen|nehmen|schreiben|machen|deployen"
            r"|releasen|speichern|loggen|testen|haben (?:nur|immer|keine?n?)|arbeiten)\b",
            r"\b(?:bei uns|in der \w+|auf der \w+) (?:heißt|wird|werden|gilt|sagt man)\b",
            r"^(?!und |dann |also |jetzt ).*\b\w+en wir (?:mit|als|immer|auf|in|nur)\b",
            r"^(?!.*\b(?:es|das|sie|er) (?:sind|ist|werden|wird)\b).*\b(?:sind|ist|werden|wird) (?:\w+ )?(?:intern|grundsätzlich"
            r"|nur) (?:\w+ ){0,3}\w+[.!]*$",
            r"\bwir sind auf .{2,30} (?:festgelegt|beschränkt)\b",
            r"\b(?:läuft|liegt|liegen|gehört|gehören|kommt|kommen|heißt) (?:nur )?(?:auf|unter|in|nach|zu|aus|über)\b",
            r", (?:nicht|nie|niemals) (?:auf |in |mit |als )?\S+[.!]*$",
            r"\b(?:hat|haben|sind|ist) (?:immer |genau |mindestens |stets )*(?:\w+stellig|\w+ (?:stellen|zeichen|ziffern))\b",
            r"\bohne .{2,30} (?:kommt|geht|läuft|darf) (?:man|niemand|nichts)\b",
            r"\b(?:ändert|macht|schreibt|prüft|entscheidet|deployt|reviewt|gibt) (?:nur|bei uns|immer) \w+",
            r"\b(?:im|laut|aus dem) .{2,30} (?:vorgeschrieben|festgelegt)\b",
            r"\blaut \w*(?:handbuch|vertrag|vorgabe|gesetz|norm)\b",
            r"\b(?:muss|müssen|bleibt|bleiben|sind|ist) (?:immer |stets )?(?:lückenlos|eindeutig|unveränderlich"
            r"|schreibgeschützt)\b",
            r"\b(?:der|die|unser) kunde\w* (?:hat|nutzt|verwendet|öffne\w*|erwarte\w*)\b")),
    ),
    "French": (
        (CORRECTION, SURE, form(
            r"\btu (?:as|es|l'as) .*\b(?:encore|de nouveau|quand même)\b", r"\btu as (?:encore|de nouveau)\b",
            r"\bje (?:te l'ai|t'ai|l'ai)(?: déjà)? dit\b", r"^pourquoi .*\b(?:encore|déjà)\b",
            r"^encore (?:un|une|des|du)\b.*, ", r"\bj'ai (?:déjà )?dit\b")),
        (RULE, SURE, form(
            r"\b(?:désormais|dorénavant|à partir de maintenant|à l'avenir|en règle générale)\b",
            r"\b(?:interdit|obligatoire|hors de question|sans me demander|sans mon accord|sans (?:ma )?validation)\b",
            r"\bil (?:ne )?faut (?:jamais|toujours|pas)\b",
            r"(?:^|[,:;] )(?:et |mais |stp |merci de )?(?:ne |n')\w+ (?:jamais|pas|plus)\b",
            r"^(?:\w+ )?(?:pas|jamais) (?:de |d')?[\w./-]+,? [\w./-]+", r"\b(?:n'oublie|n'oubliez) pas que\b",
            FR_BARE + r"(?:[\w./-]+ ){1,4}(?:en|dans|avec|par|via) [\w./-]+(?:,? s'il te plaît|,? stp|,? svp)?[.!]*$",
            r", (?:pas|jamais) (?:autre chose|\w+)[.!]*$", r"\bdemande-(?:moi|nous) avant\b", r"\b(?:il faut|faut) du\b",
            r"\b(?:s'appellent?|s'écri\w+|se nomm\w+|vouvoient?|tutoient?) toujours\b",
            r"\b(?:aucune?|chaque) .{3,40} (?:dans|a|ont|doit)\b",
            r"\bsans (?:ma|mon|notre) \w+[.!]*$", r"\btoujours (?:au|en|à|dans|par|avec)\b",
            r"\b(?:jamais|toujours) \w+(?:er|ir|re|ez)\b", r"\b(?:doit|doivent|dois|devons) (?:toujours|jamais|être|passer)\b",
            r"^(?:utilise|écris|mets|garde|fais|lance|passe|préfère|demande|vérifie|ajoute|nomme|commite?)\w*\b.*\b(?:toujours"
            r"|jamais|plutôt que|au lieu de|chaque|, pas)\b", r"^pas de? .+ (?:dans|sans|en)\b", r", (?:toujours|jamais)[.!]*$",
            r"\bcomme (?:toujours|partout|d'habitude)\b")),
        (PREFER, SURE, form(r"\bje (?:préfère|veux (?:toujours|jamais|que)|ne veux (?:pas|jamais)|déteste)\b",
            r"\bréponds?\b.*\ben (?:français|anglais)\b")),
        (FACT, LIKELY, form(
            r"\b(?:on|nous) (?:n')?(?:utilis|pass|écri|déploi|met|fai|gard|nomm|stock|travaill|test)\w+\b",
            r"\b(?:sont|est) (?:stocké|enregistré|compté|écrit|exprimé|gardé|rangé|nommé)e?s? (?:en|dans|avec|sous)\b",
            r"\breste(?:nt)? dans\b",
            r"\bvient du fichier\b", r"\b(?:on|nous) (?:dit|sommes (?:bloqués|limités|en))\b",
            r"\b(?:dans|de) tout le (?:produit|projet|code)\b",
            r"\b(?:messages?|commits?|commentaires?|identifiants?|noms?|branches?) .{0,30}(?:sont|n'ont|est) (?:en|pas|toujours)\b",
            r"\btou(?:t|te|s|tes)\b.{0,30}\b(?:passent?|vont?|restent?|sont|s'écri\w+|se \w+)\b",
            r"\bc'est .{2,30}\b(?:ici|dans ce projet|chez nous)\b", r"\bchez nous\b",
            r", (?:pas|jamais) (?:de |d'|en |sur |le |la |les )?\S+[.!]*$",
            r"\b(?:on|nous) (?:ne |n'|les? |la |l')*(?!a\b|as|av|va\b|all|peu|pou|doi|dev|est\b|voi|ver|dirait|perd|reste)\w{3,}",
            r"\b(?:vient|viennent|vont|passent?|sortent|partent) (?:de|du|des|dans|par|en|sur)\b",
            r"\b(?:est|sont) (?:tou(?:t|s|te|tes|jours) )?(?:dans|en|sous|chez) [`\w]",
            r"\bc'est (?:toujours )?(?:\d+|la branche|le \w+ qui|\w+ qui)\b",
            r"\b(?:fait|font|a|ont|compte) (?:toujours |exactement )?\d+ \w+", r"\bse \w+e(?:nt)? (?:avec|par|en|dans)\b",
            r"\b(?:relit|relisent|valide|signe|décide) (?:tout|tous|toutes|toujours)\b",
            r"\bpour (?:lancer|tester|déployer|construire)\b.*\bc'est\b")),
    ),
    "Spanish": (
        (CORRECTION, SURE, form(
            r"\b(?:has|hiciste|pusiste|usaste|volviste)\b.*\b(?:otra vez|de nuevo)\b", r"\b(?:ya te (?:dije|he dicho)|te (?:dije|he"
            r" dicho))\b", r"^por qué .*\botra vez\b", r"^otra vez\b.*,", r"\bno se hace así\b")),
        (RULE, SURE, form(
            r"\b(?:a partir de ahora|de ahora en adelante|en el futuro|por regla general)\b", r"\b(?:prohibido|obligatori[oa]"
            r"|no se permite|no se toca\w*|sin (?:preguntar\w*|mi permiso))\b",
            r"\bno (?:hagas|uses|pongas|toques|subas|edites|borres|cambies|escribas|commitees|instales|modifiques|mezcles)\b",
            r"^(?:nada de|sin|con|antes de) [\w./-]+(?: [\w./-]+){0,3}, ?\w+", r"\bno \w+(?:as|es) (?:nunca|jamás|nada)\b",
            ES_BARE + r"(?:[\w./-]+ ){1,4}(?:en|con|por) [\w./-]+(?: [\w./-]+){0,3}(?:, por favor)?[.!]*$",
            r"\btienen? que (?:llevar|ir|estar|ser|tener|pasar)\b",
            r"(?:^|[,:;] )(?:y )?(?:nunca|jamás|siempre) \w+",
            r"\b(?:nunca|jamás) \w+(?:as|es)\b",
            r"^(?:usa|pon|escribe|haz|ejecuta|corre|pregunta|revisa"
            r"|guarda|mantén|prefiere|lanza)\b.*\b(?:siempre|nunca|en vez de|en lugar de|cada|, no)\b",
            r"\b(?:hay que|debes?|tienes? que)\b.*\b(?:siempre|nunca|antes de|cada)\b", r"\bcomo (?:siempre|en todas partes)\b")),
        (PREFER, SURE, form(r"\b(?:prefiero|quiero que siempre|no quiero que|odio)\b", r"\bresponde\b.*\ben (?:español|inglés)\b")),
        (FACT, LIKELY, form(
            r"\b(?:tratamos|hablamos|llamamos|nombramos|incluyen?|van en)\b", r"\bestá (?:ya )?incluid[oa]\b",
            r"\b(?:usamos|hacemos|escribimos|guardamos|ponemos|desplegamos|trabajamos)\b", r"\btod[oa]s?\b.{0,30}\b(?:va|van|pasa"
            r"|pasan|se guardan?|deben?|tienen?)\b", r"\b(?:van?|viven?|están?|se guardan?)\b.{0,12} (?:en|por)\b.*"
            r"\b(?:siempre|nunca)\b",
            r"\bse (?:guarda|escribe|usa|hace|pone|prueba|despliega|nombra)n? (?:siempre|solo|nunca|en)\b",
            r", (?:no|nunca) (?:en |con |por )?\S+[.!]*$",
            r"\b(?!vamos|podemos|tenemos|hemos|debemos|estamos|somos|necesitamos|íbamos|\w+r[aeí]mos)\w{3,}(?:amos|emos|imos)\b",
            r"\bse (?:les? |nos )?\w+[ae]n? (?:cada|de|con|por|una?|los|las|fecha)\b", r"\b(?:llevan?|tienen?) (?:siempre|\d+)\b",
            r"\b(?:salen?|vienen?|pasan?|van?) (?:de|del|por|en) (?!momento)", r"\bes (?:el|la) \w+ de (?:las?|los?)\b",
            r"\b(?:es|son) (?:ficti\w+|obligatori\w+|intern[oa]s?|de prueba)\b", r"^(?:los|las) \w+ (?:los|las) \w+ [A-ZÁ]\w+")),
    ),
    "Portuguese": (
        (CORRECTION, SURE, form(
            r"\bvocê \w+(?:ou|eu|iu|ez|ôs)\b.*\b(?:de novo|outra vez)\b",
            r"\b(?:já (?:te )?(?:disse|falei)|como (?:eu )?(?:disse|falei))\b")),
        (RULE, SURE, form(
            r"\b(?:a partir de agora|daqui (?:pra|para) frente|no futuro|proibido|obrigatóri[oa]|sem (?:me )?perguntar)\b",
            r"\b(?:sempre|nunca|jamais) \w+", r"\bnão (?:pode|podem|se|deve|devem)\b", r", não [\w./-]+[.!]*$",
            r"\b(?:tem|têm|temos) que \w+r (?:sempre|antes)\b")),
        (PREFER, SURE, form(r"\beu (?:prefiro|gosto|odeio|não gosto|não quero)\b",
        r"\bresponde\w*\b.*\bem (?:português|inglês)\b")),
        (FACT, LIKELY, form(
            r"\ba gente (?!vai|pode|precisa|tem\b|viu|fez|já)\w+", r"\baqui (?:é|a gente|se|só)\b",
            r"\b(?!vamos|podemos|temos|devemos|estamos|precisamos)\w{3,}(?:amos|emos|imos)\b",
            r"\b(?:vem|vêm|ficam?|vai|vão|saem?) (?:d[aoe]s?|n[ao]s?|em|pra|para|por|pelo|pela) \w+", r"\b(?:tem|têm) \d+ \w+")),
    ),
    "Italian": (
        (CORRECTION, SURE, form(
            r"\bhai \w+.*\b(?:di nuovo|un'altra volta)\b",
            r"\b(?:te l'ho (?:già )?detto|come (?:ti )?(?:ho )?detto|l'ho già detto)\b")),
        (RULE, SURE, form(
            r"\b(?:d'ora in poi|da adesso in poi|in futuro|vietat[oa]|obbligatori[oa]|senza chiedere\w*)\b",
            r"\b(?:non|niente) .*\bmai\b", r"\b(?:sempre|mai) (?:in|con|da|per|su|\w+re)\b", r"\bnon si \w+", r"\bqui niente \w+",
            r"\bdev(?:e|ono) (?:sempre|essere|passare)\b", r", non [\w./-]+[.!]*$")),
        (PREFER, SURE, form(r"\b(?:preferisco|non mi piace|non voglio|odio)\b", r"\brispond\w+\b.*\bin (?:italiano|inglese)\b")),
        (FACT, LIKELY, form(
            r"\b(?!abbiamo|andiamo|dobbiamo|possiamo|facciamo|vediamo|siamo|vogliamo|proviamo)\w{3,}iamo\b",
            r"\b(?:da noi|in questo progetto|nel nostro)\b", r"\bsi (?:chiama|mand|us|scriv|mett|fa\b|fann|pass)\w*",
            r"\b(?:hanno|ha|usano|usa) (?:sempre |\w+ separat|il prefisso|\d+|un prefisso)", r"\bentro \d+ \w+",
            r"\b(?:è|sono) \d+ \w+",
            r"\b(?:vengono|vanno|viene|passano|passa) (?:da|dal|dalla|in|nel|per|su)\b",
            r"\bil \w+ (?:di|per) \w+ è [\w`]+[.!]*$")),
    ),
}  # fmt: skip
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def language_of(sentence: str) -> str:
    """Return the name of the language of these that a sentence is in, nothing where it is too short or in none of them."""
    words = [word.casefold() for word in WORD.findall(sentence)]
    english = sum([word in ENGLISH for word in words])
    most, name = max([(sum([word in known for word in words]), name) for name, known in WORDS.items()])
    if most == 1 and not english and len(words) >= FEWEST_WORDS:
        return next((each for each, known in ONE_IS_ENOUGH.items() if known.search(sentence)), "")
    return name if most >= LEAST_KNOWN and most > english and len(words) >= FEWEST_WORDS else ""


def kind_of(sentence: str) -> "tuple[float, str, float] | None":
    """Return how clearly a sentence of one of these languages says that it holds, from 0 to 1, its kind, and how likely it is worth
    telling later; None where it says nothing of the kind.
    """
    name = language_of(sentence)
    if not name or passing.passes(name, sentence):
        return None
    return next(((likely, kind, likely) for kind, likely, each in FORMS[name] if each.search(sentence)), None)
