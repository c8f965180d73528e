"""Tell which statements in other languages than English take back another one, and how people correct what they just said."""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    # What is taken back, whether it is an order to forget that, whether it only names what that is about, and whether more is said.
    Read = tuple[str, bool, bool, bool]

# What may stand before any of these, and means nothing.
LEAD_IN = re.compile(
    r"(?:(?:bitte|ok|okay|und|also|ach|übrigens|por favor|vale|et|bon|stp|y|e|per favore|allora|(?:nein|non?|não)(?=,))[, ]+)*"
)
PART, REST = r"((?:[^,;:.!]|[,;:.!](?=\S))+)", r"(?:[,;:.!](?: .*)?)?"
# An order to forget what people do or how things are.
THAT = (
    r"(?:vergiss|vergesst)(?: bitte| wieder)?,? dass " + PART, r"oubli(?:e|ez) qu(?:e |')" + PART,
    r"(?:olvida|olvidad|olvídate de) que " + PART, r"(?:esquece|esqueça)(?: de)? que " + PART,
    r"(?:dimentica|dimenticate|scordati) che " + PART,
)  # fmt: skip
# An order to forget what was said of something.
ABOUT = (
    r"(?:vergiss|vergesst)(?: bitte)? (?:das|die sache|die regel|alles) (?:mit|über|zu|für|von) (?:de[mnr] )?" + PART,
    r"(?:vergiss|vergesst)(?: bitte)?,? was ich (?:dir |euch )?(?:über|zu|von) (.+?) gesagt habe?",
    r"oubli(?:e|ez) (?:ce que (?:j'ai|je t'ai|je vous ai) dit|l'histoire|la règle|tout) (?:sur|du|des?|à propos de) (?:(?:les?|la) "
    r"|l')?" + PART,
    r"(?:olvida|olvidad|olvídate de) (?:lo|lo que (?:te )?(?:dije|he dicho)|la regla|todo) (?:del?|sobre) (?:(?:el|la|los|las) )?"
    + PART,
    r"(?:esquece|esqueça) (?:(?:o|aquilo) que (?:eu )?(?:te )?(?:disse|falei)|isso|a história|a regra|tudo) (?:d[eoa]s?|sobre)"
    r" (?:[oa]s? )?" + PART,
    r"(?:dimentica|dimenticate|scordati|lascia perdere) (?:quello che (?:ti )?ho detto|la storia|la regola|tutto)"
    r" (?:di|del|dell[ae]|su|sul|sull[ae]) " + PART,
)  # fmt: skip
# That a rule holds no longer.
OVER = (
    (r"(?:die|meine|unsere) (?:regel|vorgabe|konvention) (?:mit|über|zu|für|von) (?:de[mnr] )?(.+?) (?:gilt|zählt|ist) nicht mehr\b"
    r".*"),
    (r"(?:la|ma|notre) (?:règle|consigne|convention) (?:du|des?|sur|pour) (?:(?:les?|la) |l')?(.+?)"
    r" n(?:e (?:s'applique|vaut|compte|tient)|'est) plus\b.*"),
    (r"(?:la|mi|nuestra) (?:regla|norma|convención) (?:del?|sobre) (?:(?:el|la|los|las) )?(.+?)"
    r" ya no (?:vale|se aplica|aplica|rige)\b.*"),
    r"(?:a|minha|nossa) (?:regra|norma|convenção) (?:d[eoa]s?|sobre) (.+?) (?:já )?não (?:vale|se aplica|conta)\b.*",
    (r"(?:la|mia|nostra) (?:regola|norma|convenzione) (?:di|dei|del|dell[ae]|su|sul|sull[ae]) (.+?)"
    r" non (?:vale|si applica|conta) più\b.*"),
)  # fmt: skip
# That what was forbidden may be done from now on, or again; and the same behind an order to forget "that".
LEAVE = (
    (r"(?:ab (?:jetzt|sofort|heute) (?:darfst du|dürft ihr|dürfen wir|darf man)|(?:du darfst|wir dürfen|man darf)"
    r" ab (?:jetzt|sofort|heute)) (.+)"),
    r"(.+? (?:ist|sind)\b.*) (?:wieder|ab (?:jetzt|sofort)) (?:erlaubt|ok|okay|in ordnung)",
    r"(?:désormais|dorénavant|à partir de maintenant),? (?:tu peux|vous pouvez|on peut) (.+)",
    r"(.+?) (?:est|sont) (?:désormais|de nouveau|à nouveau) (?:autorisé|permis)\w*",
    r"(?:a partir de ahora|desde ahora|de ahora en adelante),? (?:ya )?(?:puedes|podéis|podemos|se puede) (.+)",
    r"(.+?) (?:está|están|vuelven? a estar) (?:ya |de nuevo |otra vez )?permitid\w+(?: de nuevo| otra vez)?",
    r"(?:a partir de agora|daqui (?:pra|para) frente),? (?:já )?(?:você )?(?:pode|podem|podemos) (.+)",
    r"(.+?) (?:está|estão) (?:de novo )?(?:permitid|liberad)\w+(?: de novo)?",
    r"(?:d'ora in poi|da adesso in poi),? (?:puoi|potete|possiamo|si può) (.+)", r"(.+?) (?:è|sono) di nuovo permess\w+",
)  # fmt: skip
THAT_IS_OVER = (
    r"(?:vergiss (?:das|es)|oublie (?:ça|cela)|olvida eso|olvídalo|esquece (?:isso|isto)|esqueça isso|dimenticalo"
    r"|lascia (?:perdere|stare))[,;:.!]* (?:du (?:darfst|kannst)|tu peux|(?:ya )?puedes|(?:você )?pode|puoi) " + PART,
)  # fmt: skip
# What people do no longer.
STOPPED = (
    r"(?:wir|ich|man) (\w+) (.+?) nicht mehr(?: \w+)?", r"(?:wir|ich|man) (\w+) keine?n? (.+?) mehr(?: \w+)?",
    r"(.+?) \w+ (?:wir|ich) nicht mehr", r"(?:on|nous|je) (?:ne |n')(\w+) plus (.+)", r"ya no (.+)", r"no (\w+) más (.+)",
    r"(?:(?:a gente|nós|eu) )?não (\w+) mais (.+)", r"(?:(?:a gente|nós) )?já não (.+)", r"(?:(?:noi|io) )?non (\w+) più (.+)",
)  # fmt: skip
# How somebody begins who corrects what they said just before, in any of these languages and in English: what may come first, and
# behind what stands what was meant. Who means "it" insists.
BEFORE_MEANT = (
    r"\W*(?:(?:no|nope|sorry|sry|oh|ah|oops|u+ps|whoops|wait|h+m+|hang on|hold on|actually|my (?:bad|mistake)|apologies|and|ok|okay"
    r"|nein|nee|quatsch|entschuldigung|entschuldige|verzeihung|moment|halt|ach|ähm?|pardon|désolée?|non|euh|oups|attends|excuse-moi"
    r"|perdón|perdona|lo siento|espera|desculp[ae]|perdão|não|scusa|scusate|aspetta|ehm)\b\W*)*"
)
MEANT = re.compile(
    BEFORE_MEANT
    + r"(?:(?:what )?i (?:actually |really )?mean(?:t)?(?: to (?:say|write|type))?(?: was)?|meant|(?:scratch|strike) that"
    r"|correction|i misspoke|typo|(?:ich )?(?:meinte|wollte sagen)|ich meine|gemeint war(?:en)?|korrektur|streich das|besser gesagt"
    r"|(?:je |j')(?:voulais|veux) dire|ou plutôt|(?:quería|quise|quiero) decir|me refería a|me equivoqué|corrección|mejor dicho"
    r"|digo|(?:eu )?(?:quis|queria|quero) dizer|me referia a|correção|ou melhor|melhor dizendo|(?:volevo|voglio) dire|intendevo"
    r"|intendo|mi riferivo a|correzione|o meglio|anzi)\b(?!\W+(?:it|that|this)\W*(?:$|[.!,]))[\s,:;.!\u2014\u2013-]*",
    re.IGNORECASE,
)
# A part that begins like this is a case that may come, or a guess.
CASE = re.compile(
    r"(?:wenn|falls|sobald|ob|vielleicht|(?:ich|je) (?:glaube|denke|pense|crois)|si|quand|peut-être|cuando|quizás?|creo|se|quando"
    r"|talvez|acho|forse|credo)\b"
)
BETWEEN = re.compile(r"[,;:.!] | [\u2014\u2013-] | (?=(?:weil|denn|sondern|pero|porque|parce|mas|ma|perché) )")
# Words that name nothing: the commonest ones of these languages, and that something is used, done, and when.
EMPTY = frozenset(
    "wir ich du man ihr das dem den des die der ein eine einen es zu zum zur bei beim von vom in im auf an am ab jetzt sofort heute"
    " wieder immer nur hier ist sind nutzen nutze nutzt verwenden verwende benutzen benutze machen mach mache macht künftig bitte"
    " on nous vous tu je les la le l un une des du de d à au en y dans sur toujours ici utilise utilisons utiliser utilisez faire"
    " fais fait faisons désormais maintenant partir n s j qu el los las lo del al a por que con siempre aquí se usamos usar usa uso"
    " uses hacer haz hagas hacemos ahora adelante o os as um uma do da dos das no na nos nas gente sempre aqui faz faça fazer"
    " fazemos pode agora il gli i uno della dei delle nel nella di da su con si noi qui usiamo usare usi fare fai fa facciamo ora"
    " poi già mai più nicht mehr".split()
)
LONGEST, MOST_PARTS = 320, 6  # characters of a statement; parts of it that are looked at
ENDINGS, SHORTEST_ROOT = ("amos", "emos", "imos", "iamo", "ern", "en", "er", "es", "em", "ez", "ar", "ir", "as", "e", "s", "n"), 3


def read(statement: str) -> "Read | None":
    """Return what a folded statement of one of these languages takes back; None for any other."""
    if len(statement) > LONGEST:
        return None
    text = LEAD_IN.sub("", statement, count=1)
    for forms, start, is_order, is_topic in (
        (THAT, "", True, False), (ABOUT, "", True, True), (OVER, "", True, True), (THAT_IS_OVER, "nie ", True, False),
        (LEAVE, "nie ", False, False),
    ):  # fmt: skip
        found = _read(forms, text, is_order=is_order)
        if found:
            return start + found, is_order, is_topic, False
    return _of_a_part([part for part in BETWEEN.split(text, MOST_PARTS) if part.strip()])


def _read(forms: "tuple[str, ...]", text: str, *, is_order: bool) -> str:
    """Return what the first of some forms holds; behind an order more may be said."""
    end = REST if is_order else r"[.!]*"
    found = next(filter(None, [re.fullmatch(form + end, text) for form in forms]), None)
    return " ".join(found.groups()).strip() if found else ""


def _of_a_part(parts: "list[str]") -> "Read | None":
    """Read `ya no usamos npm, usamos pnpm`, of which one part takes back; none where one is a case that may come."""
    if any([CASE.match(part) for part in parts]):
        return None
    said = [each for each in [LEAD_IN.sub("", part + " ", count=1).strip() for part in parts] if each]
    found = next(filter(None, [_read(STOPPED, each, is_order=False) for each in said]), "")
    return (found, False, False, len(said) > 1) if found else None


def root(word: str) -> str:
    """Return what the forms of a word have in common, mostly."""
    ending = next((each for each in ENDINGS if word.endswith(each) and len(word) - len(each) >= SHORTEST_ROOT), "")
    return word[: len(word) - len(ending)]
