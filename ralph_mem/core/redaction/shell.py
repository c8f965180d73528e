"""Find secrets that a command line hands to a program, by what the program takes as flags, operands or through a pipe.

Loaded only for a text that names one of these programs.
"""

from ralph_mem.core.redaction.names import DIGITS, is_filler

# Programs, words that stand behind them, and where a secret stands: a flag whose value it is, in the same word or the next one,
# `flag%` where it is what follows that sign in the value, `#2` for the second operand behind the words, `=` for the value of
# each NAME=VALUE, `<` for what is piped in or stands behind `<<<`. From the manuals of these programs.
TAKES = """
zip unzip zipcloak wzzip | | -P
7z 7za 7zr 7zz | | -p
rar unrar | | -p -hp
openssl | | -passin -passout -pass -k -K -password
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
net | user | #2
net | use | #2
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
restic borg rclone | | --password-command
influx mysqlsh | | -password
asadmin wsadmin jboss-cli.sh | | -p
sudo su doas | | <
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
keyring | set | <
openssl mkpasswd htpasswd argon2 slappasswd wg ansible-vault kubeseal gpg gpg2 systemd-creds | | <
mysql_config_editor ssh-add snap | | <
aws | secretsmanager | <
"""
PROGRAMS = frozenset(word for line in TAKES.strip().splitlines() for word in line.partition("|")[0].split())
PRINTING = ("echo", "printf", "yes")
JOINING = ("|", "|&")
PARTING = (*JOINING, "||", "&&", ";", "&", "\n")
ORACLE = frozenset("sqlplus sqlldr expdp impdp exp imp rman sqlcl".split())
LONGEST_LINE = 2048
FEWEST = 4  # characters of a password that a flag is known to hold


def find(text: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of what programs are handed that is secret."""
    spans, at = [], 0
    for line in text.split("\n"):
        folded = line.lower()
        if len(line) <= LONGEST_LINE and any([word in PROGRAMS or word in ORACLE for word in _names(folded)]):
            spans += [(at + start, at + end, "password") for start, end in _of_line(line)]
        at += len(line) + 1
    return spans


def _names(folded: str) -> "list[str]":
    """Return what might be the name of a program in a line."""
    return "".join([char if char.isalnum() or char in "_.-" else " " for char in folded]).split()


def _of_line(line: str) -> "list[tuple[int, int]]":
    found: list[tuple[int, int]] = []
    before: list[tuple[int, int, str]] = []  # the command whose output comes through the pipe
    for sign, command in commands(line):
        at = next((at for at, word in enumerate(command) if _program(word[2]) in PROGRAMS | ORACLE), -1)
        if at >= 0:
            found += _of_command(command[at:], _piped(before) if sign in JOINING else [])
        # what only hands on, such as `head`, is looked through
        before = command if sign not in JOINING or not before else before
    return [(start, end) for start, end in found if _is_telling(line[start:end])]


def _program(word: str) -> str:
    return word.rpartition("/")[2].rpartition("\\")[2].lower().removesuffix(".exe")


def _of_command(words: "list[tuple[int, int, str]]", piped: "list[tuple[int, int]]") -> "list[tuple[int, int]]":
    program, said = _program(words[0][2]), [word.lower() for _, _, word in words[1:]]
    if program in ORACLE:
        return [span for word in words[1:] for span in _of_oracle(word)]
    found: list[tuple[int, int]] = []
    for line in TAKES.strip().splitlines():
        programs, needed, places = [part.split() for part in line.split("|", 2)]
        if program in programs and _holds(said, needed):
            last = max([said.index(word) for word in needed], default=-1) + 2
            for place in places:
                found += _at_place(place, words, last, piped)
    return found


def _holds(said: "list[str]", needed: "list[str]") -> bool:
    """Say whether words stand in a line in this order."""
    at = 0
    for word in needed:
        if word not in said[at:]:
            return False
        at += said[at:].index(word) + 1
    return True


def _at_place(
    place: str, words: "list[tuple[int, int, str]]", first: int, piped: "list[tuple[int, int]]"
) -> "list[tuple[int, int]]":
    if place == "<":
        return piped + _here(words)
    if place == "=":
        return [span for word in words[first:] for span in [_behind(word, "=")] if span and word[2][:1] != "-"]
    if place[0] == "#":
        operands = _operands(words[first:])
        return [operands[int(place[1:]) - 1][:2]] if len(operands) >= int(place[1:]) else []
    sign = place[-1] if place[-1] in "%:,=" and place != "/p:" else ""
    return _of_flag(place.removesuffix(sign), sign, words)


def _operands(words: "list[tuple[int, int, str]]") -> "list[tuple[int, int, str]]":
    return [word for word in words if word[2][:1] not in ("-", "<", ">", "/") and not (word[2][:1] == "\\")]


def _of_flag(flag: str, sign: str, words: "list[tuple[int, int, str]]") -> "list[tuple[int, int]]":
    found = []
    for word, following in zip(words, [*words[1:], (0, 0, "")]):
        start, end, said = word
        if said == flag and following[2][:1] not in ("", "-"):
            found.append(following)
        elif said.startswith(flag + "=") or (
            flag[:2] != "--" and said.startswith(flag) and len(flag) < 4 and len(said) > len(flag)
        ):
            glued = len(flag) + said.startswith(flag + "=")
            found.append((end - len(said) + glued, end, said[glued:]))
    if not sign:
        return [_without_source(each) for each in found]
    return [span for each in found for span in [_behind(each, sign)] if span]


def _without_source(word: "tuple[int, int, str]") -> "tuple[int, int]":
    """Leave out what says where a password comes from; nothing is left of one that stands elsewhere."""
    start, end, said = word
    for source in ("pass:", "stdin", "file:", "env:", "fd:"):
        if said.startswith(source):
            return (start + 5, end) if source == "pass:" else (end, end)
    return start, end


def _behind(word: "tuple[int, int, str]", sign: str) -> "tuple[int, int] | None":
    start, end, said = word
    at = said.find(sign)
    if at < 0:
        return None
    return end - len(said) + at + 1, end


def _here(words: "list[tuple[int, int, str]]") -> "list[tuple[int, int]]":
    """Return what stands behind `<<<`."""
    found = []
    for word, following in zip(words, [*words[1:], (0, 0, "")]):
        if word[2] == "<<<":
            found.append(following[:2])
        elif word[2].startswith("<<<"):
            found.append((word[1] - len(word[2]) + 3, word[1]))
    return found


def _piped(words: "list[tuple[int, int, str]]") -> "list[tuple[int, int]]":
    """Return what a command prints that only repeats what it is told."""
    at = next((at for at, word in enumerate(words) if word[2].rpartition("/")[2] in PRINTING), -1)
    if at < 0:
        return []
    told = [word for word in words[at + 1 :] if word[2] not in ("-n", "-e", "-ne", "-en", "--")]
    if words[at][2].endswith("printf") and len(told) > 1 and "%" in told[0][2]:
        told = told[1:]
    return [word[:2] for word in told if word[2][:1] != ">"]


def _of_oracle(word: "tuple[int, int, str]") -> "list[tuple[int, int]]":
    """Return the password of `user/password@place`."""
    start, end, said = word
    user, slash, rest = said.partition("/")
    if not slash or not user.replace("_", "a").replace("$", "a").isalnum() or "/" in rest.partition("@")[0]:
        return []
    begin = end - len(said) + len(user) + 1
    return [(begin, begin + len(rest.rpartition("@")[0] or rest))]


def _is_telling(value: str) -> bool:
    """Say whether a value is one: no variable, no option, no file of that, no number."""
    value = value.strip("\"'\\ \t\r\n")
    if len(value) < FEWEST or is_filler(value) or value[0] in "$<-{" or value.startswith(("@", "//", "./", "/dev/", "`")):
        return False
    return bool(value.strip(DIGITS)) or len(value) > 5


def commands(line: str) -> "list[tuple[str, list[tuple[int, int, str]]]]":
    """Return the commands of a line, each with the sign before it, as words: start and end of what is meant, and how it reads."""
    found: list[tuple[str, list[tuple[int, int, str]]]] = [("", [])]
    at = 0
    while at < len(line):
        sign = next((sign for sign in ("||", "&&", "|&", "|", ";", "&") if line.startswith(sign, at)), "")
        if line[at] in " \t\r":
            at += 1
        elif sign and not line.startswith("&>", at):
            found.append((sign, []))
            at += len(sign)
        elif line.startswith("<<<", at):
            found[-1][1].append((at, at + 3, "<<<"))
            at += 3
        else:
            word, at = _word(line, at)
            found[-1][1].append(word)
    return found


def _word(line: str, at: int) -> "tuple[tuple[int, int, str], int]":
    """Return the next word: its start and its end without the quotes around all of it, and what it says; and where it is over."""
    start, said, inner, end = at, [], at, at
    while at < len(line) and line[at] not in " \t\r|;&":
        slashes = 1 if line[at] == "\\" and line[at + 1 : at + 2] in ("'", '"') else 0
        quote = line[at + slashes]
        if quote in "\"'":
            close = line.find(line[at : at + slashes + 1], at + slashes + 1)
            if close < 0:  # of something around the whole line
                at += slashes + 1
                break
            inner = at + slashes + 1 if at == start else inner
            said.append(line[at + slashes + 1 : close])
            end, at = close, close + slashes + 1
        else:
            said.append(line[at])
            at += 1
            end = at
    text = "".join(said)
    return (inner, end, text), max(at, start + 1)
