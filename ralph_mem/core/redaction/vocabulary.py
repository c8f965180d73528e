"""Tell the words that code, documentation and forms are written with from others, of which people make passwords."""

# The words that stand in most files of Python's standard library, of 60 packages of it and of 15 of JavaScript, those that stand
# near "password", "secret" or "token" in 25 of them, and those of the forms of two frameworks in 17 languages.
KNOWN = frozenset("""
aan aanmelden abc able about above abs absolute abstract aby acceder accedere accedi accents accept acces acceso accesso
according account accès aceast acessar acest across act action activation active actual actually adapted adapter add added
adding addition additional address adds adgangskode adgangskoden adgangsnøgle adgangstoken adicionada adjust admin adres
adresa adresi adresse adressen adresy advanced affix after again against age aggiunta agreed ajoutée alculation alg algorithm
algoritme algoritmo algumas alia align alkalmazás all alla allauth allclose allerede allow ally almost along alongside alpha
already also alt alter alterada alterar alternative alue always alábbi ame ames amount anahtar anahtarlar analysis and ange
angivne anguage anmelden anmeldung anna annotation anonymous another ansible answering ant any anything apache api aplikacji
app appear appen applicable application applied applies apply appropriate arange arbitrary architecture are area aren arg
argmax args argument aria around array arrow art asarray ascii ase aseta asetettu asiakkaan ask asné ass assert assertion
assifier assign assignment assistant associated associé assume assword ast astype async atalhos atch ate ation att atte
attempt atten attenti attention attivo attn attr attribute attuale aucun aud audi audio ault aut autenticación autenticação
autentificare autentisering auth authenticate authenticatie authentication author authorization authorize auto automatic
automatically autorisation autoriza autorización autorizare autorização autorizzazione autoryzacyjny available avaimia avain
avatar avec average avoid await axes axis ayarla ayn babel back backend background backup backward bad bar bart bas basada
base baseada basic basis bat batc batch bearer because become been before begi begin beginning behavior being bejelentkezés
bekræftelse below belépés bem benutzerkonto ber bert best bestaat bestätigen beta better between bevestigen bevestiging bez
bezpe bezpiecze beállítva beállítása bias big bilinmeyen billenty bin binary bind bir bit bits bitte biztonsági blank ble blev
blevet blob block body boi bold boo bool boolean bor border bort borttagen bos both bottom bound boundary box bpe brak branch
break broadcast broken browser bsd btained buffer bug build built builtin but button byl byla bylo byte být cache caching cal
calc calculate calculation call callable callback cambiada cambiado cambiar cambiata cambio campo can cancel cannot capture
capturing card care carousel case cast cat catch category cation causal cause ccess ceil cell center certain cessor cette cha
chain change changing channel char character chat chave che check checkpoint checksum chei cheia cheie chiave chiavi child
children choice choose chosen chunk chyba chystáte ciowe cla clamp clas classification classifier classmethod clause clave
clavier clean cleanup clear cli click client cliente clip clone close cls clsx clude clé clés cmd cod code codebook codice
coinciden col collapse collect collection collegato colo colon column colwise com combination combine come comenzile comma
command comment commit common comp compact compare comparison compat compatibility compatible compile complete complex
compliance compo compon compone componen component composite compte computation compute computing con concat concatenate
concrete condition conditional conectada conectare conectat conf conferma confi config configuration configure confirm
confirmación confirmare confirmation confirmação conn connect connection connexion cons consider consistency consistent
console const constant constraint construct construction constructor consumer consumidor cont conta contain conte content
context contextlib contextmanager contiguous continue contraseña contrib contributors control contul contului conv conversion
convert cookie copied copies copy copyright core correct correctly correo corresponding corresponds correttamente corretti
corrispondono cos could count cover cpu cre create creating creation cred crede credential cross crypt csrf css cssinjs ctc
ction ctx cuda cuenta cumsum cur curr current currently cursor custom customize cute cycle czone czy cím código dal dark das
dat data database dataclass dataset date datetime day dding debug debugging dec decimal declare deco decode deconectat
decorator ded deep deepcopy def defa defau defaul default defaultdict define definida defining definir definition defs degree
dein deja del delay delete deling dell della delta demo den deneyin denna denne dense depend dependencies dependency dependent
deprecate deprecation depth der derived dernière des desactivada desc desconectada described description descriptor design
desired det detach detail detect detection determinado determine detta dette deux dev developers devez devi devic device deze
diagonal dialog dic dict dictionary did didn die diese diesem diff difference different dig digest digite digits dim dimension
dimensional dims din dine ding dio dir dirección direct direction directly directory dirname dis disable dispatch display dist
distance distinct distributed distribution dit ditt div divide division django dla doc docs docstri docstring document
documentation documento dodano does doesn dog doing dom domain don done dost dot double down download driver drop dropdown
dropout dropping dtype due dummy dump duplicate durati duration during dynamic défini déjà each eager early ease ecret ect
eczno edge edit editar een efault effect efficient egy ehhez eho ein einem einen eingeben either eivät eklendi electrónico
element elementary elf elif eliminat eller els else eltávolítva email emailadresse emb embe embeddi embeddin emit empty emu
enable enc ence enco encode encrypt end endblock endereço endif endpoint endre endregion endret ends endswith enforces
engedélyezési engine enizer enough ens ensure ent enter entfernt entire entity entrar entrez entries entry ents enum enumerate
env environ environment ení eoi eos epost eps epsilon equal equality equest equivalent erfolgreich eri ername erneut err erro
ers ert escape especificados esqueceu ess essor est esta establecer este está estão esz etc ete etkin ett eturn eval evaluate
evaluation even event every everything exact exactly example exc except exception exclude exclusive exec execute execution
exist existe exit exp expand expect experimental expert expire explicit explicitly exponential expor export expr express
expression ext extend extension extern externa external externe externí externího extra extract extractor eye face facebook
fact factor factory fail failure fake fal fall fallback fals falsch false falta family fast fault favor fct featu feature fed
feed feil felaktig felaktigt felhasználóhoz festgelegt fetch few field fig fil file filename fill filter final finalized
finally find fine finfo finish finite finns fir firebase firestore firmy first fit fix fixed fiók fiókodhoz fiókok fjernet
flag flash flat flatten flex float floor flow flush focus fogsz foi folder follow font foo for foram force foreign form format
formato formatted forward fost found four fra fragment frakoblet frame free fresh fro from frozen frozenset från full fully
func functio function functional functionality functools further fused future följande för försök følgende für gamma gap gat
gate gather gebaseerde geben gebruik gebruikersnaam geen gekoppeld gelu gemma gen gene genera general generally generat
generate generati generation generator generic get getattr getitem gets gewijzigd geändert geçersiz geçi ginning girdi giri
girin giriniz git github give given già glemt global gloss glossary glömt gnu going good google got governing gpt gpu grad
gradient grant graph greater grid group gth guaranteed guard guide güvenlik had hai half hand handle handling happen har hard
has hasattr hash hat hatal have having hay head hebt heig heigh height hello help hemmelig hence henting here hesab hesap
hesaplar hesla heslo het hex hey hibás hidde hidden hide high highlight hint hinzugefügt histc hit hiçbir hmac hogy hold home
hook horizontal host hostname hover how however hozzáadva hozzáférési href html http hub hugging huggingface iables ial ibute
ication ice icon ide ident identical identifiant identifier identify identity ids idx idán ifc ification ifre ifreniz ifrenizi
ifreyi igen ight igjen ignor ignore ihlá ihlásit ihr ikke ile ili ima imag image img immediately imp impl implement
implementation implicit implied impo import important importlib imposta impostata inactief inactif inactiv inaktiv inaktivt
inaktív inativa inc include including incompatible incorrect incorretos increase ind inde indent independent index indica
indicate indicating indicator indices indirizzo individual indstillet indtast ine inf infer inference infinite infinity info
information ing ingen ingesteld ings inherit ini iniciar inicio init initial initialization initialize initializing iniz
inject injection inline inloggen inloggning inn innej inner innlogging inp inpu input ins inserisci insert inset inside
inspect inst install instance instead instellen int inte integ integral inteiramente intended interface intermediate internal
internally interop interpolation interpreted interval into intro introduce ints inv invalid invalide inverse invert inválida
inválido ion ions isinstance ismeretlen isn issubclass issue ist ite item iter iterable iterate iteration iterator itertools
ith its itself ivatelské ization ize izer için jelszava jelszavadat jelszavát jelszó jelszót jest jeton jit jméno join jour
json jste jsx just jwt kald kan keep keepdim kein keine kelpaa ken kenizer kens kept ker kernel key keys keyword kimlik kind
kirjaudu kirjautuminen klavye klawiatury kliens klienta klucz klucza klí know known kod kode kodeord kodu kolmannen konta
kontem konten konti konto kontoen konton kontot korrekt kortkommandon kulcs kullan kunt kwa kwar kwarg käytä kérjük kérlek kód
következ közösségi küls label lagt lambda lang languag language lant large lass last lat later latest law layer layernorm
layout lazy lead learn least leave left legacy leider len lengt length les less let lett level lexer lib library license light
liian liitetty like likely likt limit limitations lin linalg line linear ling link lis list lisätty literal live llama llc llm
lnie load loat loc local locale location lock log logg logga logge logi logic login logits logowania logowanie long longest
look lookup loop lors los loss low lower lse lstrip lub lue lösenord lösenordet lütfen machine made mage mai mail mailadres
main major make making mamba manager manually many map mapped mapping maps margin mark markup mas mask master mat match math
matmul matrices matrix matted max maximum may maybe mber mean med media median meg megadott meger megváltozott member memo
memory menu merge mesma message met meta metadata metaspace meth metho mevcut mia microsoft mid middle might migration mijn
min minha mini minimum misc mise mislukt misma mismatch missing mit mitt mixed mixin mlp mod modal modalities modality mode
model modifica modificada modified modifier modifié modify modular module moe moje mon month more most mot motion mouse move
mport msg much mudança mui muito mul mult multi multiline multimoda multimodal multiple multiply must mutable mypy mysql már
même nal nam name namespace nan nastaveno nastavit native nce nction ndarray ndex ndim neaktivní nebo necessary ned need neg
negative neither nem nenhuma není neplatný ner nessun nessuna nested net network networkx neues never new newline next nfig
ngth nicht niciun nie nieaktywne niepoprawne nieprawid niet nieuw nieuwe nincs ninguna nit nizer node noen nogen nogmaals
nollaus nollställ non none nonzero noqa nor norm normal normalization normalize normally nosec nostní not note nothing notice
notification nou noua nouveau nova novamente nové now nowe nput nst nstead nternal ntext nts nueva nuevo null nullable
nullstill nulstil nulstillet nulstilling num numaras numb nume numel numeric numerical numero numpy numérica nuova nvert
nyckel nyt nytt não nøgle nøkkel número oat oauth obj object objekt obnovení obnovu obtain occur och ode odel oder odkaz
odpojen odstran off offset often ogiltig oikein oken okenizer olamaz old ole olla omit omitted onay once one ones onfig
ongeldige onl only onnistui onnx ons onst ontkoppeld ool opacity oparte ope open openai operation operator opgeslagen opnieuw
oppgav ops opt opti optimization optimize optio option optiona optional optionally opts ord order ore org orig origin original
orm ort osapuolen ostatnie other otherwise oturum our out outer outfile outline outp outpu output outside ove over overflow
overlap overload overridden override overwrite overwritten ování own owner owy package pad padd paddi page pagina pagination
pair palavra panel paper par para parallel param parameter parametrize parent parol parola parolan parolay parolei parse
parsing part parti partial particular partition pas pass passe passkey passlib passnøkkel passord passordet passphrase passw
passwo passwort past pat patch patche path pathlib pattern payload pending pentru pep per perform performance permission
permute persistent perty pick piece pikanäppäimet pil pip pipeline pixel place placeholder placement plain plan platform ple
please plugin plus pode point poistettu pole policy pollett pomoc pomocí pomy poni ponownie pool pop popconfirm popup por port
portions pos position positional positive poslední possible possibly post posta postadressen potentially potvrzení
potwierdzenie pour pow power powi pragma pre prea precision pred predict prediction pref prefi prefill prefix prepare prepend
preprocess present preserve preset pretrained pretraining pretty prev prevent preview previous previously primary prime
primevue prin print prior priority privat private pro prob probability probably problem proc proce processin processor prod
produce product production profile program progress proj project projection promise prompt prop properly properties property
prosz prosím protected proto protocol prototype provi provide proxy prøv public puede pull punctuation pure purpose push put
puts pygments pyrefly pytest python pytorch página pääsyavain quarter quaternary que queries query quest questa question
questo queue quote qwen raccourcis radius raise rand randn random rang range rank rapide rate rather ratio ration rational raw
rch rea reached react read readable readline readonly ready real really reason receive recommended record recursive
recursively red redan redefinir redefinição redes redirect reduce reduction ref refer reference refresh regardless regenerate
regex region register registration registrera registry regression regular reimposta reimpostare reimpostazione reject rel
relacionado related relation relative release relevant rem remain remote remove removida removing rename render rep repeat
repl replace replacement repo report repository repr represent representation req requ reque request requir require
requirements res reserved reset resetare resetarea reseteaz resetowania resetowanie reshape residual resize resolution resolve
resource resp respect respectively respons response rest restablecer restore restriction result ret retirée retrieve retu
return reuse reverse revision rgb rgs richiesta right rightmost rimossa ring rja rla rlama rms rname rng roberta role rom root
rope ror rotary rotate round roups route routing row rows rror rstrip rtl rts rue rug rulama rule run runner running runs
runtime rvénytelen réinitialiser safe saisissez salaisuus salasana salasanan salasanasi salt sam same samma samme samo sample
sampling satt sau save sayollar scalar scale scaling scatter schema scheme schimb schimbat schlüssel scipy scope scorciatoie
score script scroll sdpa search sec second secondary secr secret secreta secreto section secure securitate security see seed
seem seen segment segredo segreto segurança seguridad sel select selection selector self sem semantic send senha sensitive
sent sentence sentencepiece sep separate separately separator seq seque sequen sequence ser serialize series server service
ses sesión sessio session sessão set setat setattr setdefault sets setter setting setup setzen several sformers sha shadow
shape share shift short should shouldn show shown sich sicurezza side sido sie siga sign signal signature sikeres sikeresen
similar simple simplify simply sin since sind single singleton sion siste sisään site siz size skift skip skipped sklearn
skriv skróty sleutel slice slider slot slow small sneltoetsen sociais social sociala sociale socializare sociálních soft
softmax software solid solution solve som some something sometimes son sono sont sor sort sosiaalisen sosyal sou source
soziale spa space span sparse spatial spdx spe spec speci specia special specific specified specifies specify speech speed
split spm spo správné sql sqrt square squeeze src ssages ssl ssword sta stable stack stacklevel stage standard star start
startswith stat stata state statement static staticmethod stato status std stderr stdout step stessa still stop storage store
str strategy stream stri strict strictly stride strin string strip strong struct structure stwa sty styl style sua sub
subclass subject submit subsequent subset succes successo succès sucedida sucesso such suffix sum summary sunt super supplied
support suppress sure svar své switch swoje sword sym symbol symbolic symmetric sympy sync syntax sys system syötä szükséges
sätt sæt sécurité sítése tab tabanl table tag tags tai tajný take taken taking tanh taraf target task tastatur tastaturkürzel
tastiera tates tau tch team teclado ted tekrar telefon telefonnummer tell tem temp templa template temporal temporary ten
tenso tente tento ter terceiros terceros term terställ tertiary terze tes test tex text tha than that the their them theme
then there therefore these theta they thi things third this those though thread three threshold through throw thus thw tie
tied tiene tiers til tilføjet tili tiliisi tilillesi tilit tilknyttet tilkoblet till tils tilsluttet tim time timeout
timestamp tion tip tipo tir tirildi tirme titkos title tmp today todo toegevoegd together toggle tok toke token tokena tokeni
tokeniz tokenization tokenize tokensource tolist too tools top tor torc torch total totp tour tput tra trace traceback tracing
track trailing train tran transaction transcription transfer transform transition translate translation transparent transpose
treat tredjeparts tree trigger trimmed tring tru true truncate truncation try trying trzeciej ttention ttype tua tunniste
tunnus tuo tuple turn turva twice two twoje twojego txt tyle typ type typeof typescript typeshed typically typing tämä tämän
uence ugat ugyldig ugyldigt uid uint uitat ull ult ultima ultimo uma umber ument una unable unchanged und undefined under
underlying une unexpected ungültige unicode unified uniform unigram union unique unit unk unknown unless unlike unpack
unprocessed unsafe unset unsqueez unsqueeze unsupported until untyped unused unuttunuz update upload upper uri url urls urn
usage usando use used useful user userinfo username uses usin using ustaw ustawione usually usuario usuni usuário utente utf
uth util utilisateur utilities utility utilizator utolsó uudelleen uudestaan uusi vagy vaihda vaihdettu vaihtaminen val valid
valida validate validation validator valido valtuutuskoodi valu value van var variable variance variant various vars vector
ved vennligst ver verbose vergessen vergeten verification verificação verifier verify version versionadded vertical verts
verwijderd very veya via vice vid vide video view vil virheellinen virtual visible vision visszaállító visual voc voca vocab
vocabulary você voer voi void volgende von voor votre vous vue válida vänligen være wachtwoord wagtail wagtailadmin wait want
warn warranties was wav way web webauthn weight well were what when where whether whi which while white whitespace whole whose
why widerrufen width wijzigen wiki wikipedia wildcard will win window wit with within without won wor word work world would
wpisz wprowad wrap wrapped wrapper write writing written wrong wurde wurden www xin xperts xxs xxx yap year yeni yes yet yetki
yield yla yle you your ype ytkownika zadané zadejte zaloguj zany zbyt zda zer zero zijn zip zkuste zmiana zmie zmienione znovu
zosta zresetowania zresetuj zum zurückgesetzt zurücksetzen ádný ändern ändra ändrat ændret çok été éxito íli ístup ístupového
ístupový újra última último úsp üçüncü
argon bcrypt scrypt pbkdf hmac chacha blake kerberos keycloak oauth openid ldap saml totp varchar postgres mariadb mongo redis nginx
""".split())  # fmt: skip
FEWEST, SHORTEST, MOST = 8, 3, 40
SHORTEST_ODD, STRANGE = 7, " /\\:=()[]{}<>,;|\"'`$%@"
ENDINGS = ("", "s", "ed", "d", "ing", "er", "r", "es")


def are_others(value: str) -> bool:
    """Say whether a value is one or a few words, joined by capitals or not, of which none is known here: `PalettenHubwagen`."""
    if not FEWEST <= len(value) <= MOST or not value.isalpha():
        return False
    words = "".join(
        [" " + char if char.isupper() and before.islower() else char for before, char in zip(" " + value, value)]
    ).split()
    return any([len(word) > SHORTEST for word in words]) and not any(
        [len(word) >= SHORTEST and is_known(word.lower()) for word in words]
    )


def are_all_others(words: "list[str]") -> bool:
    """Say whether none of these small words that is long enough to be told by is known here, and one is longer than that."""
    told = [word for word in words if len(word) > SHORTEST]
    return any([len(word) > SHORTEST + 1 for word in told]) and not any([is_known(word) for word in told])


def are_mostly_others(words: "list[str]") -> bool:
    """Say whether more of these small words that are long enough to be told by are not known here than are."""
    told = [word for word in words if len(word) > SHORTEST]
    return 2 * sum([not is_known(word) for word in told]) > len(told)


def hold_other(words: "list[str]") -> bool:
    """Say whether one of these words is not known here."""
    return not all([is_known(word.lower()) for word in words])


def stands_out(value: str) -> bool:
    """Say whether a word of letters with digits, signs or capitals among them holds one not known here: `Ampere0Volt`."""
    if not SHORTEST_ODD <= len(value) <= MOST or (value.isalpha() and value[1:] == value[1:].lower()) or not value[0].isalnum():
        return False
    if any([sign in value for sign in STRANGE]) or value.upper() == value or value[-1:] in "-_":
        return False
    ending = value.rpartition(".")[2]
    if value.count(".") > 1 or (ending != value and ending.isalpha() and len(ending) <= SHORTEST + 1):  # a file, a host
        return False
    words = "".join([_spaced(char, before) for before, char in zip(" " + value, value)]).split()
    is_mixed = any([char.isdigit() for char in value]) or value.lower() != value
    return is_mixed and any([len(word) > SHORTEST and not is_known(word.lower()) for word in words])


def _spaced(char: str, before: str) -> str:
    return " " if not char.isalpha() else " " + char if char.isupper() and before.islower() else char


def is_known(word: str) -> bool:
    """Say whether a small word stands here, with an ending of English or without."""
    return any([word.endswith(ending) and word[: len(word) - len(ending)] in KNOWN for ending in ENDINGS])
