"""Tell which programs take a secret on their command line or through a pipe, and where it stands there."""

from ralph_mem.core.redaction.names import is_secret
from ralph_mem.core.redaction.passwords import is_jumbled, is_made_up
from ralph_mem.core.redaction.values import DIGITS, is_filler

TYPE_CHECKING = False
if TYPE_CHECKING:
    Word = tuple[int, int, str]
    Place = tuple[int, int]

# Programs, words that stand behind them, and where a secret stands: a flag whose value it is, in the same word or the next one,
# `flag+` where any is glued to it, `flag%` where it is what follows that sign in the value, `#2` for the second operand behind the
# words, `=` for the value of each NAME=VALUE, `<` for what is piped in or stands behind `<<<`. From the manuals of these programs.
TAKES = """
zip unzip zipcloak wzzip | | -P
7z 7za 7zr 7zz | | -p+
rar unrar | | -p -hp
openssl | | -passin -passout -pass -password
signtool signcode | | /p
steamcmd steamcmd.sh | +login | #2
cmd adb | wifi connect-network | #3
cmd adb | wifi add-network | #3
mcrcon rcon-cli | | -p
ejabberdctl | register | #3
openssl | enc | -k -K
openssl | aes-256-cbc | -k -K
openssl | aes-128-cbc | -k -K
openssl | aes256 | -k -K
openssl | des3 | -k -K
apksigner jarsigner keytool | | --ks-pass --key-pass -storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass
ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami ldapcompare ldapmodrdn | | -w -s -a
smbclient rpcclient winexe smbget net.py nmblookup wmic pth-winexe smbcacls | | -U% --user%
snmpwalk snmpget snmpset snmpbulkwalk snmptrap snmpinform snmptable snmpgetnext | | -A -X -c
xfreerdp wlfreerdp mstsc | | /p:
rdesktop vncviewer evil-winrm crackmapexec netexec nxc sshpass | | -p
sqlcmd bcp osql isql | | -P
mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop cqlsh nodetool snowsql mssql-cli | | -p
mysql mysqldump mysqladmin mariadb mariadb-dump mysqlimport mysqlcheck mycli | | -p
mosquitto_pub mosquitto_sub mqttx ipmitool | | -P
espota espota.py | | -a --auth
docker podman nerdctl buildah skopeo crane oras | login | -p
helm | login | -p
oc cf kubelogin az ibmcloud | login | -p
twine | upload | -p
dotnet nuget | source | -p
dotnet | user-secrets set | #2
curl | | -u: --user: --proxy-user: -U:
http https xh | | -a: --auth:
lftp ncftp | | -u,
etcdctl influx | | --user:
redis-cli valkey-cli keydb-cli | | -a
redis-cli valkey-cli | auth | #1 #2
redis-cli valkey-cli | requirepass | #1
redis-cli valkey-cli | masterauth | #1
nmcli | password | #1
nmcli | 802-11-wireless-security.psk | #1
nmcli | wifi-sec.psk | #1
wpa_passphrase | | #2
wpa_cli | passphrase | #2
iwconfig iw | key | #1
security | unlock-keychain | -p
security | set-keychain-password | -p -o
security | create-keychain | -p
security | import | -P
security | add-generic-password | -w
security | add-internet-password | -w
xcrun altool | | -p
htpasswd | | #3
rabbitmqctl | add_user | #2
rabbitmqctl | change_password | #2
samba-tool | user create | #2
samba-tool | user add | #2
iadmin | password | #1
cypher-shell | | -p
net | user | #2
net | use | #2 #3
mc | alias set | #3 #4
cargo npm snyk | login | #1
vault | login | #1
vault | kv put | =
vault | kv patch | =
vault | write | =
chamber | write | #3
kubectl oc microk8s k3s | create secret | --from-literal= --docker-password
gh glab | secret set | --body -b
glab | variable set | #2
gh | variable set | --body -b
fly flyctl | secrets set | =
infisical doppler teller | secrets set | = #2
netlify | env:set | #2
az | keyvault secret set | --value
aws | | --secret-string --secret-access-key
aws | securestring | --value
databricks | secrets | --string-value
wrangler heroku supabase railway | secrets set | =
usermod useradd | | -p
swaks | | -ap
crowbar hydra medusa | | -p
openvpn | | --auth-pass
pdftk | | input_pw owner_pw user_pw
qpdf | --encrypt | #1 #2
oathtool | | #1
pgbench pg_dump psql | | --password
gpg gpg2 | | --passphrase
influx mysqlsh | | -password
asadmin wsadmin jboss-cli.sh | | -p
su doas | | <
docker podman nerdctl skopeo crane oras helm | --password-stdin | <
chpasswd smbpasswd passwd cryptsetup kinit pw | | <
vercel | env add | <
gh glab | secret set | <
gh glab | login | <
gh glab | variable set | <
wrangler | secret put | <
gcloud | secrets | <
docker podman | secret create | <
pass gopass | insert | <
kubectl oc | secret | <
fly flyctl | secrets import | <
doppler infisical heroku railway supabase netlify circleci | secret | <
circleci | store-secret | <
doppler infisical | secrets | <
vault | | <
secret-tool | store | <
ssh-keygen | | -N -P
steghide | | -p
rclone | obscure | #1
ansible-vault | encrypt_string | #1
htpasswd | -nb | #2
htpasswd | -bn | #2
htpasswd | -nbb | #2
openssl | passwd | #1
slappasswd | | -s
caddy | hash-password | --plaintext
isql | | #3
db2 | connect using | #1
mosquitto_passwd | | #3
mysqladmin | password | #1
keyring | set | <
openssl mkpasswd htpasswd argon2 slappasswd wg ansible-vault kubeseal gpg gpg2 systemd-creds | | <
mysql_config_editor ssh-add snap | | <
aws | secretsmanager | <
"""
PROGRAMS = frozenset(word for line in TAKES.strip().splitlines() for word in line.partition("|")[0].split())
FEWEST = 4  # characters of a password that a flag is known to hold
REPEATED = 6  # characters of a value that is looked for elsewhere too
ORACLE = frozenset("sqlplus sqlldr expdp impdp exp imp rman sqlcl".split())


def program(word: str) -> str:
    """Return the name by which a word of a command line calls a program."""
    return word.rpartition("/")[2].rpartition("\\")[2].lower().removesuffix(".exe")


def of_command(words: "list[Word]", piped: "list[Place]") -> "list[Place]":
    """Return where secrets stand in the words of a command; `piped` is where what comes through the pipe stands."""
    name, said = program(words[0][2]), [word.lower() for _, _, word in words[1:]]
    if name in ORACLE:
        return [place for word in words[1:] for place in _of_oracle(word)]
    found: list[Place] = []
    if name == "nmcli" and ("-g" in said or "--get-values" in said):  # what it names is asked for
        return found
    for needed, places in _entries(name):
        if holds(said, needed):
            first = max([said.index(word) for word in needed], default=-1) + 2
            for place in places:
                found += _at(place, words, first, piped)
    return found


def _entries(name: str) -> "list[tuple[list[str], list[str]]]":
    """Return what of the table is about a program: the words it needs, and the places."""
    if name not in _TOLD:
        lines = [line.split("|", 2) for line in TAKES.strip().split("\n") if name in line]
        _TOLD[name] = [(needed.split(), places.split()) for programs, needed, places in lines if name in programs.split()]
    return _TOLD[name]


_TOLD: "dict[str, list[tuple[list[str], list[str]]]]" = {}


def holds(said: "list[str]", needed: "list[str]") -> bool:
    """Say whether words stand in a line in this order."""
    at = 0
    for word in needed:
        if word not in said[at:]:
            return False
        at += said[at:].index(word) + 1
    return True


def _at(place: str, words: "list[Word]", first: int, piped: "list[Place]") -> "list[Place]":
    if place == "<":
        return piped + here(words)
    if place == "=":
        return [span for word in words[first:] for span in [behind(word, "=")] if span and word[2][:1] != "-"]
    if place[0] == "#":
        operands = _operands(words[first:])
        return [operands[int(place[1:]) - 1][:2]] if len(operands) >= int(place[1:]) else []
    if place[-1] == "+":
        flag = place[:-1]
        return [
            (word[1] - len(word[2]) + len(flag), word[1]) for word in words if word[2].startswith(flag) and len(word[2]) > len(flag)
        ]
    sign = place[-1] if place[-1] in "%:,=" and place != "/p:" else ""
    return _of_flag(place.removesuffix(sign), sign, words)


def _operands(words: "list[Word]") -> "list[Word]":
    return [
        word for word in words
        if (word[2][:1] not in ("-", "<", ">", "\\") or word[2][:2] == "\\\\")  # a share of Windows
        and (word[2][:1] != "/" or word[2].count("/") > 1)  # `/user:x` of Windows
    ]  # fmt: skip


def _of_flag(flag: str, sign: str, words: "list[Word]") -> "list[Place]":
    found = []
    for word, following in zip(words, [*words[1:], (0, 0, "")]):
        _, end, said = word
        if said == flag and following[2][:1] not in ("", "-"):
            found.append(following)
        elif said.startswith(flag + "=") or (
            flag[:2] != "--"
            and said.startswith(flag)
            and len(flag) < 4
            and len(said) > len(flag)
            and (not said[len(flag) :].isalpha() or is_made_up(said[len(flag) :], "bare"))
        ):
            glued = len(flag) + said.startswith(flag + "=")
            found.append((end - len(said) + glued, end, said[glued:]))
    if not sign:
        return [_without_source(each) for each in found]
    return [span for each in found for span in [behind(each, sign)] if span]


def _without_source(word: "Word") -> "Place":
    """Leave out what says where a password comes from; nothing is left of one that stands elsewhere."""
    start, end, said = word
    for source in ("pass:", "stdin", "file:", "env:", "fd:"):
        if said.startswith(source):
            return (start + 5, end) if source == "pass:" else (end, end)
    return start, end


def behind(word: "Word", sign: str) -> "Place | None":
    """Return where what follows a sign in a word stands."""
    _, end, said = word
    at = said.find(sign)
    return None if at < 0 else (end - len(said) + at + 1, end)


def here(words: "list[Word]") -> "list[Place]":
    """Return where what follows `<<<` stands."""
    found = []
    for word, following in zip(words, [*words[1:], (0, 0, "")]):
        if word[2] == "<<<":
            found.append(following[:2])
        elif word[2].startswith("<<<"):
            found.append((word[1] - len(word[2]) + 3, word[1]))
    return found


def _of_oracle(word: "Word") -> "list[Place]":
    """Return the password of `user/password@place`."""
    _, end, said = word
    user, slash, rest = said.partition("/")
    if not slash or not user.replace("_", "a").replace("$", "a").isalnum() or "/" in rest.partition("@")[0]:
        return []
    begin = end - len(said) + len(user) + 1
    return [(begin, begin + len(rest.rpartition("@")[0] or rest))]


def is_mixed(value: str) -> bool:
    """Say whether a value is a password by itself: letters with digits or symbols, and no path, port, file or name."""
    if len(value) < REPEATED or is_filler(value) or value[0] in "$<-{/.@" or "/" in value or " " in value:
        return False
    if value.strip("!?.@,:;").isalpha() and (value.isupper() or value[1:].islower()):  # a word with a sign behind it
        return False
    return is_secret(value, "password", "flag") or is_jumbled(value)


def tells(value: str) -> bool:
    """Say whether a value that stands where a secret belongs is one: no variable, no option, no file of that, no number."""
    if value[:2] == "\\\\":  # a share of Windows
        return False
    value = value.strip("\"'\\ \t\r\n")
    if (value[-1:] == "]" and "[" not in value) or (value[-1:] == ":" and value[:1] == "["):  # how a program is called
        return False
    if (
        len(value) < FEWEST
        or is_filler(value)
        or value[0] in "$<-{"
        or value.startswith(("@", "//", "./", "/dev/", "`", "x$", 'x"$'))
    ):
        return False
    if value.count(";") > 1 and value.islower():  # names that are joined
        return False
    return bool(value.strip(DIGITS)) or len(value) > 5
