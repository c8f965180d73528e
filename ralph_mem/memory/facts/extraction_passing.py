"""Tell which German, French, Spanish, Portuguese and Italian sentences pass with the moment, so that nothing in them holds."""

import re


def form(*patterns: str) -> "re.Pattern[str]":
    """Return what finds any of some patterns, in whatever case."""
    return re.compile("|".join([f"(?:{each})" for each in patterns]), re.IGNORECASE)


# What binds a sentence to this moment, asks, or wishes something of a product: such a sentence holds nothing.
PASSES = {
    "German": form(
        r"\b(?:vorerst|erst ?mal|(?<!ab )(?<!wir nutzen )(?<!wir verwenden )(?:heute|morgen|jetzt (?!immer))|gestern"
        r"|diesmal|gerade|im moment|momentan|noch nicht"
        r"|bis dahin|seit|immer (?:noch|wieder|mehr|weiter|öfter)"
        r"|ausnahmsweise|in diesem (?:pr|branch|ticket|commit)|\w*fehler\w*|kaputt|laufen wieder|hängt|hätte|zeile \d+|vielleicht"
        r"|glaube|eventuell)\b|#\d+|\?\W*$",
        r"^(?:warum|wieso|was|wie|wo|wer|wann|kannst|könntest|soll ich|ist das|gibt es)\b(?!.*\b(?:wieder|schon)\b)",
        r"^(?:er|sie|jemand|mein\w* \w+|(?:der|ein) (?:blog|artikel|typ)) (?:sagt|sagte|meint|meinte|behauptet|schreibt|findet)\b"
        r"|^(?:stell\w* (?:dir|euch) vor|angenommen|mal angenommen|laut (?:dem |einem |'nem )?(?:blog|artikel))\b"
        r"|\bich vergesse\b|^du \w+ (?:mir |mich )?(?:nie|niemals) (?:zu|richtig)?\W*$",
        r"\b(?:tabelle|knopf|button|seite|liste|spalte|feld|dialog|nutzer|benutzer|kunde|menü|fenster|anzeige|ansicht|spinner)\w*"
        r" (?:soll|muss|darf|kann|wird|ist|bleibt)\w*\b",
        r"^(?:und |dann )?(?:die|der|das|diese[rs]?) (?:\w+ )?(?:funktion|methode|klasse|endpunkt|parameter)\w* (?:soll|muss|darf"
        r"|kann)\w*\b",
        r"\b(?:in|für|bei|an) diese[rmns]? (?:datei|funktion|klasse|methode|zeile|test|fall|block|modul|tabelle|seite)\b",
        r"^(?:und |oder |also |nun )*(?:sollt?en|soll|wollt?en|müss(?:en|ten)|dürf(?:en|ten)|könn(?:en|ten)|darf|muss)"
        r" (?:wir|ich|man|das|es|er|sie|der|die)\b(?!.*\bbitte\b)",
    ),
    "French": form(
        r"\b(?:pour l'instant|pour le moment|aujourd'hui|demain|hier|cette fois|maintenant(?<!de maintenant)|pas encore|dans cette"
        r" pr|ligne \d+|peut-être|je crois|je pense|depuis|échou\w*|erreurs?|plantent?|cassée?s?|rouge|vides?|marche pas)\b"
        r"|#\d+|\?\W*$",
        r"^(?:pourquoi|comment|quoi|qui|où|quand|est-ce|peux-tu|tu peux)\b(?!.*\b(?:encore|déjà)\b)",
        r"^(?:il|elle|quelqu'un|mon \w+|ma \w+|le blog|l'article) (?:m'a dit|nous a dit|dit|pense|prétend|a dit)\b"
        r"|^(?:imagine\w*|suppos\w+)\b|\bj'oublie\b|^selon (?:le blog|un article|l'article)\b",
        r"\b(?:tableau|bouton|page|liste|colonne|champ|fenêtre|menu|utilisateurs?|clients?|prix|carte|écran)\b.{0,20}"
        r" (?:doit|doivent|a|ont|est|sont|reste|affiche)\b",
        r"^(?:la|le|cette|cet|ce) (?:fonction|méthode|classe|endpoint|paramètre)\b.{0,20} (?:doit|peut|devrait)\b",
        r"\b(?:dans|pour|de) (?:ce|cet|cette) (?:fichier|fonction|classe|méthode|ligne|test|cas|bloc|module|tableau|page)\b",
        r"^(?:\w+ )?\w+-(?:t-)?(?:on|il|elle|je)\b",
        r"\bon (?:fait une? (?:essai|test|point|pause|tentative|prototype)|tente|essa[iy]e|regarde|voit|verra|reprend|n'arrive"
        r"|a une? (?:bug|problème|souci|erreur))\b|^on (?:commence|continue) (?:par|avec)\b",
    ),
    "Spanish": form(
        r"\b(?:por ahora|de momento|hoy|mañana|ayer|esta vez|todavía|aún no|en este pr|línea \d+|quizás?|creo|desde|fallan?"
        r"|errores|error|roto|tarda|torcido|demasiado)\b"
        r"|#\d+|\?\W*$|^¿",
        r"^(?:por qué|cómo|qué|quién|dónde|cuándo|puedes)\b(?!.*\botra vez\b)",
        r"^(?:él|ella|alguien|mi \w+|el blog|el artículo) (?:me dijo|nos dijo|dice|dijo|cree|piensa)\b"
        r"|^(?:imagin\w+|supón|supongamos)\b|\bme olvido\b|^según (?:el blog|un artículo|el artículo)\b",
        r"\b(?:tabla|botón|página|lista|columna|campo|ventana|menú|usuarios?|clientes?|pantalla)\b.{0,20}"
        r" (?:debe|deben|tiene que|muestra|puede|está)\b",
        r"^(?:el|la|est[ea]) (?:función|método|clase|endpoint|parámetro)\b.{0,20} (?:debe|tiene que|puede)\b",
        r"\b(?:en|para|de) es(?:t?[ea]) (?:archivo|fichero|función|clase|método|línea|test|prueba|caso|bloque|módulo|tabla)\b",
        r"\b(?:vemos|veremos)\b|\bhacemos (?:una?|otr[oa]) (?:prueba|intento|test|ensayo|experimento|pausa)\b",
        r"^(?:empezamos|seguimos|continuamos|intentamos) (?:con|por)\b",
    ),
    "Portuguese": form(
        r"\b(?:por enquanto|por ora|hoje|amanhã|ontem|(?<!a partir de )agora|d?esta vez|dessa vez|ainda|acho|talvez|linha \d+"
        r"|falh\w+|erros?"
        r"|quebr\w+"
        r"|lent[oa])\b|#\d+|\?\W*$",
        r"^(?:por que|como|qual|quem|onde|quando|pode)\b",
        r"\b(?:em |n|para |d)ess[ea] (?:arquivo|função|classe|método|linha|teste|caso|bloco|módulo|tabela|página)\b",
        r"^(?:isso )?não pode (?:ser|estar)(?: (?:isso|verdade|assim|certo|normal))?(?:,|\W*$)",
        r"^(?:ess[ea]|est[ea]|aquel[ea]) (?!projeto|repo|equipe|time|empresa|código|regra|branch)\w+ (?:nunca|sempre|não) \w+",
        r"^(?:o|a|os|as) \w+ (?:nunca|sempre|não) (?:passa|aparec|termin|respond|funcion|carreg|abr[ei]|trav|inici|cheg|atualiz"
        r"|salv|conect|compil)\w*(?: nunca)?(?:\W*$|,| quando\b| mais\b)",
        r"^[oa] (?:função|método|página|tela|botão|site|login|worker|endpoint|servidor|formulário|app|job|lista)"
        r" (?:nunca|sempre|não)\b",
        r"\bnão se (?:vê|abre|entende|enxerga|conecta)\b|\ba gente (?:tenta|olha|vê|continua)\b|\be vemos\b",
        r"^(?:o|a|ess[ea]) (?:função|método|classe|endpoint|parâmetro|tela|página|botão|tabela|lista)\b.{0,20} (?:deve|tem que"
        r"|precisa|pode)\b",
    ),
    "Italian": form(
        r"\b(?:per ora|per adesso|oggi|domani|ieri|adesso|stavolta|questa volta|ancora(?! una)|forse|credo|riga \d+|fallisc\w+"
        r"|errori?"
        r"|rott[oa]|lent[oa]|sbagliat[oaie])\b|#\d+|\?\W*$|^ogni volta\b",
        r"^(?:perché|come|quale|chi|dove|quando|puoi)\b",
        r"\b(?:in|per|di) quest[oa] (?:file|funzione|classe|metodo|riga|test|caso|blocco|modulo|tabella|pagina)\b",
        r"^(?:(?:il|lo|la|i|gli|le|quest[oaei]|quell[oaei]) |l')\w+ non (?:si |viene |vengono )?(?:passa|funzion|rispond|compa"
        r"|appar|caric|part[eo]|termin|finisc|arriv|conn|colleg|aggiorn|apr[eo]|salv|compil|esegu|trov)\w*(?: mai)?"
        r"(?: \w+[aeio]t[oaie])?(?:\W*$|,| quando\b| più\b| (?:in|su) (?:ci|locale|chrome|safari)\b)",
        r"^(?:il|lo|la|quest[oa]) (?:funzione|metodo|pagina|schermata|bottone|sito|login|worker|endpoint|server|modulo|form|app|job"
        r"|lista) non (?!si (?:tocca|usa|modifica|fa)\b)",
        r"^non si (?:riesce|ved|apre|aprono|caric|capisc|colleg|conn|sent|avvi|aggiorn|trov)\w*",
        r"^(?:la|il|quest[oa]) (?:funzione|metodo|classe|parametro|pagina|bottone|tabella|lista)\b.{0,20} (?:deve|può)\b",
        r"\bfacciamo una? (?:prova|test|pausa|tentativo)\b|\be vediamo\b",
    ),
}
# What asks for one piece of work: a verb and what it is done to, two such orders, one of several, what to do in place of the
# work, or how something lies on the screen.
DE_VERBS = (
    r"lösch|entfern|mach|bau|fix|push|zeig|gib|nimm|füg|setz|stell|verschieb|kopier|änder|benenn|räum|erstell|start|erklär|prüf"
    r"|such|lies|schick|schreib"
)
DE_WORK = r"^(?:und |bitte |nun |ok,? |dann |also )*(?:" + DE_VERBS + r")e?"
FR_WORK = (
    r"(?:lance|corrige|supprime|enlève|montre|vérifie|ajoute|change|déplace|copie|crée|pousse|relance|fais|mets|regarde|renomme)"
)
ES_WORK = (
    r"(?:lanza|ejecuta|corre|arregla|corrige|borra|quita|muestra|revisa|añade|cambia|mueve|copia|crea|sube|toques|toca|haz|renombra"
    r"|prueba)"
)
ONCE = {
    "German": form(
        DE_WORK + r" (?:bitte |mal |mir |jetzt |eben |schnell |kurz )*(?:nur (?:bitte )?(?:d[aei][sen]|dem|diese\w*|noch|kurz"
        r"|schnell)|(?:das|es|ihn|sie) (?:bitte )?nur)\b",
        DE_WORK + r" (?:\w+ ){0,3}?(?:mal|d[aei][sen] .*und (?:" + DE_VERBS + r")e?)\b",
        r", (?:zeig|sag|erklär|gib)e? (?:mir|uns)\b",
        r"^(?:verwende?|nutze?|benutze?|nimm) .*\bnur d\w\w (?:erst|zweit|dritt|letzt|ober|unter)e\w*\b",
        r"^(?:mach|setz|stell|rück)e? (?:den|die|das) (?:text|titel|button|knopf|header|überschrift|bild|logo|tabelle|spalte"
        r"|schrift)\b",
    ),
    "French": form(
        r"^(?:ne |n').*, (?:montre|explique|dis|donne|affiche|propose)\b",
        r"^" + FR_WORK + r"\b.*(?:\b(?:dans|de|sur) chaque\b|\bet " + FR_WORK + r"\b)",
        r"^(?:mets|change|place|fais|déplace|aligne|centre|rends|laisse) (?:(?:les?|la|une?) |l')(?:bouton|titre|image|menu|logo"
        r"|icône|tableau|colonne|texte|barre|formulaire|fenêtre|lien)s?\b",
        r"^(?:prends|utilise|choisis|garde) (?:l[ae] |l')(?:premi|deuxi|second|troisi|derni|autre)\w*\b",
    ),
    "Spanish": form(
        r"^no .*, (?:(?:solo|sólo|solamente|mejor) )?(?:mu[eé]str|ens[eé]ñ|expl[ií]c|d[ií]me|dame|mira|lee|cu[eé]nt)\w*",
        r"^" + ES_WORK + r"\b.*(?:\b(?:en|de) cada\b|\by (?:no |solo )?" + ES_WORK + r"\b)",
        r"^(?:pon|mueve|haz|coloca|alinea|centra|deja|cambia) (?:el|las?|los|una?) (?:bot[oó]n|título|imagen|menú|logo|icono|tabla"
        r"|columna|texto|barra|formulario|ventana|enlace)(?:e?s)?\b",
        r"^(?:usa|toma|prueba|coge) (?:el|la) (?:primer|segund|tercer|otr|últim)\w*\b",
    ),
    "Portuguese": form(
        r"^não .*, (?:(?:só|apenas) )?(?:me )?(?:mostr|expli[cq]|diz|diga|olh)\w*",
        r"^(?:coloca|põe|bota|move|deixa|faz|alinha|centraliza) (?:[oa]s?|uma?) (?:bot[ãõ]\w+|título|imagem|menu|logo|ícone|tabela"
        r"|coluna|texto|barra|formulário|janela|link)s?\b",
        r"^(?:usa|pega|escolhe) [oa] (?:primeir|segund|terceir|outr|últim)[oa]\b",
    ),
    "Italian": form(
        r"^non .*, (?:(?:solo|soltanto) )?(?:mostra|spiega|dimmi|fammi|guarda)\w*",
        r"^(?:metti|sposta|fai|rendi|allinea|centra) (?:(?:il|la|una?|i|le) |l')(?:botton|pulsant|titol|immagin|menu|logo|icon"
        r"|tabell|colonn|test[oi]\b|barr|finestr|link)\w*",
        r"^(?:usa|prendi|scegli) (?:il|la|l') ?(?:prim|second|terz|altr|ultim)[oa]\b",
    ),
}
# What makes such an order one for all times: an occasion, a bound, a place of work, what it stands in place of.
LASTS = {
    "German": form(
        r"\b(?:immer|nie|niemals|stets|künftig|grundsätzlich|generell|ab (?:jetzt|sofort|heute)|jede\w*|alle[nrms]?|überall|statt"
        r"|lieber|sondern|ohne|wenn|bevor|vor|nach|bei uns|in diesem (?:projekt|repo)|hier|kein\w*)\b",
    ),
    "French": form(
        r"\b(?:toujours|jamais|désormais|dorénavant|avant|après|sans|plutôt|au lieu|quand|si|sauf|ici|chez nous|dans ce projet"
        r"|chaque (?:prs?|commit|push|release|merge|fois|déploiement|changement|livraison|bug))\b",
    ),
    "Spanish": form(
        r"\b(?:siempre|nunca|jamás|a partir de|en adelante|antes|después|sin|en vez|en lugar|cuando|si|salvo|aquí|en este proyecto"
        r"|cada (?:prs?|commit|push|release|merge|vez|despliegue|cambio|bug))\b",
    ),
    "Portuguese": form(r"\b(?:nunca|sempre|a partir de|antes|depois|sem|em vez|quando|se|aqui|nesse projeto|cada)\b"),
    "Italian": form(r"\b(?:sempre|mai|d'ora in poi|prima|dopo|senza|invece|quando|se|qui|in questo progetto|ogni)\b"),
}


def passes(language: str, sentence: str) -> bool:
    """Say whether a sentence of one of these languages is of the moment: it asks, tells of a fault, or wants one piece of work."""
    if PASSES[language].search(sentence):
        return True
    return bool(ONCE[language].search(sentence)) and not LASTS[language].search(sentence)
