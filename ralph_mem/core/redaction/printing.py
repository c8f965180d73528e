"""Tell which commands print a secret and nothing else, and cut it out of that."""

from ralph_mem.core.redaction import gate, shell_words, taking
from ralph_mem.core.redaction.beside import PUBLIC
from ralph_mem.core.redaction.by_hand import is_made_by_hand
from ralph_mem.core.redaction.names import kind_of_name, words_of
from ralph_mem.core.redaction.passwords import is_generated, is_jumbled
from ralph_mem.core.redaction.values import DIGITS, HEX, LETTERS, is_filler, is_plain, looks_random

# Programs and words behind them, in this order: what these print is a secret, from their manuals. `-o=`: an option with a value.
WHOLE = """
op read | op item get --reveal | op item get --fields | op document get | pass show | pass otp | pass generate | gopass show
bw get | bw generate | lpass show | secret-tool lookup | security -w | security -g | security dump-keychain | keyring get
gcloud secrets access | gcloud print-access-token | gcloud print-identity-token | gcloud kms decrypt | aws kms decrypt
aws get-secret-value | aws --with-decryption | aws get-login-password | aws export-credentials | az keyvault secret show
az get-access-token | az keys list | az credential show | az keys renew | az list-keys | az connection-string
az show-connection-string | kubectl secret -o | kubectl secrets -o | kubectl secret --output | kubectl secret --template
kubectl secrets --template | oc secret -o | oc secret --template | oc extract | kubectl create token | oc create token
oc whoami -t | oc whoami --show-token | wg genkey | wg genpsk | wg private-key | wg preshared-keys | wg showconf
gh auth token | glab auth token | heroku auth:token | heroku config:get | heroku authorizations:create | doppler secrets get
doppler secrets download | infisical secrets get | infisical export | vault -field | vault print token | vault unwrap
vault kv get | vault read | vault token create | chamber read | chamber export | sops -d | sops --decrypt | sops decrypt
ansible-vault view | ansible-vault decrypt | gpg -d | gpg --decrypt | gpg2 -d | gpg2 --decrypt | age -d | age --decrypt
rage -d | openssl rand | openssl passwd | pwgen | apg | mkpasswd | diceware | xkcdpass | argocd initial-password
argocd generate-token | rails secret | rails credentials:show | rake secret | mix phx.gen.secret | php key:generate
rclone reveal | npm token create | npm config get | fly auth token | flyctl auth token | fly tokens create
flyctl tokens create | railway variables | netlify env:get | firebase login:ci | authelia crypto rand | credstash get
berglas access | knox get | conjur variable get | akeyless get-secret-value | systemd-creds decrypt | keybase decrypt
hashcat --show | john --show
bitcoin-cli dumpprivkey | bitcoin-cli dumpwallet | slappasswd | htpasswd -nb | htpasswd -nbB | htpasswd -n | secretsdump
secretsdump.py | kubeadm token | kubeadm certs certificate-key | consul keygen | consul acl bootstrap | nomad acl bootstrap
vault operator generate-root | lncli bakemacaroon | wg dump
pdbedit -w | etcdctl get | tailscale up --authkey | rustup-init --token | caddy hash-password
travis token | snap export-login | charmcraft login --export | dotnet user-secrets list | stripe config --list
eas credentials | ssh-keygen -Y sign | oathtool | totp-cli generate | ykman oath accounts code | gpg --export-secret-keys
redis-cli requirepass | redis-cli masterauth | docker-credential get | git credential fill | git-credential fill
terraform output -raw | tofu output -raw | terragrunt output -raw | pulumi --show-secrets | pulumi stack output --show-secrets
"""
# Parts of code and files by which chance, or what stands for a secret, is printed.
# The same, whatever the program.
MAKING_WORDS = (
    ("crypto", "rand"), ("generate", "password"), ("generate", "secret"), ("generate", "token"), ("generate", "key"), ("token",
    "create"),
    ("create", "token"), ("auth", "token"), ("secret", "get"), ("secrets", "get"), ("secret", "access"), ("print-access-token",),
    ("get-token",), ("create-token",), ("generate-token",), ("generate-access-token",), ("show-secret",), ("get-secret",),
    ("genkey",),
)  # fmt: skip
CALLED = (
    "secrets.token_", "token_urlsafe", "token_hex", "get_random_secret_key", "generate_key", "randombytes", "securerandom",
    "getrandomvalues", "random_bytes(", "secrets.choice",
)  # fmt: skip
MAKING = (
    *CALLED, "/dev/urandom", "/dev/random", "/run/secrets/", "/etc/shadow", "genrsa", "initial_root_password",
    "initialadminpassword",
)  # fmt: skip
FILTERS = frozenset(
    "base64 base32 jq yq tr head tail cut awk sed grep egrep cat tee xargs fold rev sort uniq python3 python openssl gunzip xxd od"
    " column nl strings paste bat gojq dasel".split()
)
DUMPERS = frozenset("xxd hexdump od hd hexyl".split())  # what prints the bytes of a file
# What names a secret here names a thing of the code.
NAMING = frozenset(
    "git ls find wc stat file rg ag ack tree du cd mkdir touch rm cp mv ln chmod chown which type basename dirname"
    " tar unzip zipinfo".split()
)
OF_ALL = frozenset("dig drill delv host nslookup -pubin -pubout".split())
TESTING = frozenset("test tests pytest jest vitest rspec phpunit mocha".split())
# Stems of the names of programs that keep secrets, and the words by which they are asked for one.
KEEPERS = (
    "vault", "secret", "pass", "cred", "keyring", "keychain", "keeper", "wallet", "safe", "tresor", "coffre", "rbw", "envchain",
    "totp", "token", "kms", "bws", "teller", "strongbox", "lockbox", "akey",
)  # fmt: skip
READING = frozenset(
    "get read show fetch print reveal view cat export decrypt lookup access copy unseal open retrieve dump hole zeige lire issue"
    " mint generate gen new create rotate display code value env".split()
)
NOT_SHOWN = frozenset("ls list find grep search insert edit rm remove mv cp git help version init".split())
# What is asked for by these is about secrets and holds none.
OPEN_WORDS = frozenset("policy policies metadata capabilities status version help history".split())
LAUNCHERS = frozenset(
    "sudo doas env command exec time nice nohup xargs watch bundle poetry uv npx bunx pipenv docker podman".split()
)
RAW = ("terraform", "tofu", "terragrunt")
FAILING = ("failed to ", "error", "usage", "fatal", "no ", "not ", "could not", "cannot")
HELPING = frozenset(("--help", "-help", "--usage"))
SUMS = (*PUBLIC, "h1:", "sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:")
OTHER_LABELS = frozenset("id guid uuid dn cn sid version url host created updated modified expires type provider".split())
MARK = "[REDACTED:output]"
FEW_LINES, FEWEST_ALONE = 3, 31
CODE = frozenset("<>(){};")  # what a line of a file may hold that is no secret, beside other words
# What a word that looks generated is, when a command that says one of these prints nothing else.
NO_SECRET = (
    "sha", "md5", "hash", "sum", "dgst", "digest", "integrity", "uuid", "id", "rev", "commit", "version", "fingerprint", "etag",
    "public", "pub", "cert", "ipfs", "cid", "image", "build", "ref", "name", "slug", "encode", "base64 -w", "branch", "tag",
)  # fmt: skip
HEX_DIGITS = frozenset(HEX)
NAME = LETTERS + DIGITS + "_-."
PROMPTS = ("$ ", "\u276f ", "\u279c ", "% ", "> ", "# ")


def without(command: str, output: str) -> str:
    """Return what a command printed without the secrets that are all that it was to print."""
    if not output.strip():
        return output
    printing = [part for line in _visible(command) for part in _printing(shell_words.commands(line))]
    if any([not HELPING.isdisjoint(words) for words in printing]):
        return output
    if any([words[0].rpartition("/")[2] in DUMPERS for words in printing]) and any([_named(words) for words in printing]):
        return MARK
    if any([_is_whole(words) for words in printing]):
        return MARK if not _is_harmless(printing, output) else output
    kind = next((kind for kind in map(_named, printing) if kind), "")
    is_word = printing and all([_may_issue(words) for words in printing])
    if not kind and not is_word:
        return output
    safe = gate.redact(output)[0]  # a mark parts what follows it from the head of its table
    left = _without_value(safe, kind) if kind else safe
    left = _without_value(left, "word") if is_word else left
    return output if left == safe else left


def find(text: str, _folded: str) -> "list[tuple[int, int, str]]":
    """Find in what somebody copied from a terminal, each command behind a prompt, what is a command's secret output."""
    spans, at, command, begin = [], 0, "", -1
    for line in [*text.split("\n"), ""]:
        prompt = _prompt(line)
        ends = prompt >= 0 or not line.strip()
        if ends and command and begin >= 0 and at > begin:
            spans += _in_output(command, text, begin, at - 1)
        if ends:
            command, begin = (line[prompt:], at + len(line) + 1) if prompt >= 0 else ("", -1)
        at += len(line) + 1
    return spans


def _in_output(command: str, text: str, start: int, end: int) -> "list[tuple[int, int, str]]":
    output = text[start:end]
    left = without(command, output)
    if left == output:
        return []
    if left == MARK:
        return [(start, end, "output")]
    return [
        (start + at, start + at + len(value), "output")
        for value in _values(output)
        for at in [output.find(value)]
        if value not in left
    ]


def _prompt(line: str) -> int:
    """Return where a command begins behind a shell's prompt, or -1."""
    bare = line.lstrip()
    for sign in PROMPTS[:3]:
        if bare.startswith(sign):
            return len(line) - len(bare) + len(sign)
        before, found, _ = bare.partition(sign)
        if found and "@" in before and len(before) < 60 and " " not in before.strip():
            return len(line) - len(bare) + len(before) + len(sign)
    return -1


def _visible(command: str) -> "list[str]":
    """Return the lines whose output is seen: what stands for a word is not, unless it is what is printed."""
    from ralph_mem.core.command_lines import exit_codes  # lazy: only for a command that may print a secret

    lines = []
    for line in command.replace("\\\n", " ").split("\n"):
        said = line.lstrip()
        inner = exit_codes.substituted(line) if "$(" in line or "`" in line else []
        if inner and said.startswith(("echo", "printf", "yes")):
            lines += inner
        left = line
        for each in inner:
            left = left.replace(each, "")
        lines += [left, *_script(left)]
    return lines


def _script(line: str) -> "list[str]":
    """Return what a shell elsewhere is told to run: `ssh host 'cat x'`, `sh -c "..."`, `docker exec c cat x`."""
    found = []
    for _, command in shell_words.commands(line):
        words = [word for _, _, word in command]
        name = words[0].rpartition("/")[2] if words else ""
        if name in ("ssh", "bash", "sh", "zsh", "su", "eval"):
            found += [word for word in words[1:] if " " in word]
        if name in ("docker", "podman", "kubectl", "oc", "nerdctl") and ("exec" in words or "run" in words):
            found += [" ".join(words[at:]) for at in range(2, len(words))][:12]
    return found


def _printing(parts: "list[tuple[str, list[tuple[int, int, str]]]]") -> "list[list[str]]":
    """Return the words of the commands of a line whose output is seen, as it is or by way of a filter."""
    found: list[list[str]] = []
    pipe: list[list[str]] = []
    for sign, command in [*parts, (";", [])]:
        words = [word for _, _, word in command]
        if sign not in ("|", "|&"):
            found += _seen(pipe)
            pipe = []
        pipe.append(words)
    return found


def _seen(pipe: "list[list[str]]") -> "list[list[str]]":
    pipe = [words for words in map(_launched, pipe) if words]
    shown = next(
        (at for at, words in enumerate(pipe) if words[0] == "tee" and any([word.startswith("/dev/") for word in words])), -1
    )
    pipe = pipe[: shown + 1] or pipe
    if not pipe or any([word[:1] == ">" or word.endswith(">") for word in pipe[-1]]):
        return []
    through = [words[0].rpartition("/")[2] in FILTERS for words in pipe[1:]]
    return pipe if all(through) else []


def _launched(words: "list[str]") -> "list[str]":
    while words and ((words[0].partition("=")[0].isidentifier() and "=" in words[0]) or words[0] in LAUNCHERS) and words[1:]:
        if words[0] in ("docker", "podman"):
            break
        words = words[1:]
        while words and words[0][:1] == "-":
            words = words[1:]
    return words


def _is_whole(words: "list[str]") -> bool:
    """Say whether all that a command prints is secret."""
    line = " ".join(words).lower()
    if any([sign in line for sign in MAKING]):
        return words[0].rpartition("/")[2] not in NAMING and not ({"-c", "-l", "-q"} & {*words} and "grep" in words[0])
    name, said = (
        words[0].rpartition("/")[2].lower(),
        [word.partition("=")[0] if word[:1] == "-" else word.partition("/")[0] for word in words[1:]],
    )
    said = [part for word in said for part in (map("-{}".format, word[1:]) if _is_cluster(word) else [word])]
    if name == "pass" and len(words) == 2 and words[1] not in NOT_SHOWN and words[1][:1] != "-":
        return True
    if any([taking.holds(said, [*needed]) for needed in MAKING_WORDS]):
        return True
    if not OPEN_WORDS.isdisjoint(said) or ("=" not in line and name == "kubectl" and "describe" in said):
        return False
    for entry in WHOLE.replace("\n", "|").split("|"):
        program, *needed = entry.split() or [""]
        if program and program == name and taking.holds(said, needed):
            return True
    return False


def _is_cluster(word: str) -> bool:
    """Say whether a word is short options behind one dash: `-dq`."""
    return word[:1] == "-" and word[1:].isalpha() and 2 < len(word) < 5


def _is_harmless(printing: "list[list[str]]", output: str) -> bool:
    """Say of what was asked for by a name whether it is none: a host, a number, an address."""
    words = next((words for words in printing if _is_whole(words)), [])
    if output.strip().rpartition(" ")[2] == '""':  # nothing is set
        return True
    if any([words[-1].endswith(("keys", "keys[]")) and words[0] in ("jq", "gojq") for words in printing]):  # names alone
        return True
    if any([sign in " ".join(words).lower() for sign in CALLED]) and _is_text(output):
        return True
    if words[0].rpartition("/")[2] in RAW or words[:3] == ["npm", "config", "get"] or words[:1] == ["etcdctl"]:
        value, named = output.strip(), kind_of_name(words[-1])
        return not named and (
            _is_resource(value)
            or is_plain(value)
            or is_filler(value)
            or not (is_jumbled(value) or looks_random(value) or any([each in DIGITS for each in value]))
        )
    last = output.strip().rpartition("\n")[2].lower()
    return last.startswith("error") or output.lower().lstrip().startswith(FAILING)


def _is_text(output: str) -> bool:
    """Say whether what a call printed is several lines of text or code, most without a word that looks generated."""
    lines = [line.split() for line in output.split("\n") if line.strip()]
    open_lines = [
        words for words in lines if len(words) > 1 and not any([looks_random(word) or is_generated(word) for word in words])
    ]
    return len(lines) > 1 and 2 * len(open_lines) > len(lines) and any([words[-1][-1] in ".:)" for words in open_lines])


def _is_resource(value: str) -> bool:
    """Say whether a value is what a cloud calls a thing: `vpc-0a1b2c3d4e5f6a7b8`."""
    name, _, number = value.strip('"').rpartition("-")
    return name.replace("-", "a").isalpha() and name.islower() and len(number) > 7 and not number.strip("0123456789abcdef")


def _named(words: "list[str]") -> str:
    """Return the kind of secret that a command names, nothing for one that names none."""
    name, said = words[0].rpartition("/")[2].lower(), {part for word in words[1:] for part in word.lower().split("-")}
    if any([stem in name for stem in KEEPERS]) and READING & said and not NOT_SHOWN & said:
        return "secret"
    asks = {"secret", "secrets"} & said and READING & said and not NOT_SHOWN & {word.lower() for word in words[1:]}
    if asks or (kind_of_name(name) == "password" and not NOT_SHOWN & said):
        return "issued"
    if READING & said and any(
        [word.lower().endswith(("keys", "key", "token", "tokens", "badge", "passwords")) for word in words[1:4]]
    ):
        return "issued"
    is_public = not OF_ALL.isdisjoint((name, *words)) or words[:2] == ["getent", "passwd"]
    if not TESTING.isdisjoint((name, *said)) or "describe" in said or is_public:
        return ""  # what they name is a test, or what everybody may read
    if words[0].rpartition("/")[2] in NAMING and words[:2] not in (["git", "config"], ["git", "credential"]):
        return ""
    kinds = []
    for word in words[1:]:
        if word in ("passwd", "/etc/passwd") or word.strip('"${}').removeprefix("OLD") == "PWD":  # which everybody may read
            continue
        for piece in "".join([char if char in NAME else " " for char in word]).split():
            bare = piece.strip("-._")
            stem = bare.removesuffix(".txt").removesuffix(".secret")
            kinds.append(kind_of_name(stem) or ("secret" if bare.endswith(".secret") else ""))
    return next((kind for kind in kinds if kind), "")


def _may_issue(words: "list[str]") -> bool:
    """Say whether what a command prints may be issued by chance and no name of anything: no checksum, no id, no file."""
    line = " ".join(words).lower()
    return not (words[0].rpartition("/")[2] in NAMING or any([sign in line for sign in NO_SECRET]))


def _values(output: str) -> "list[str]":
    """Return the values of an output of one or a few words, each on a line of its own, alone or behind a name."""
    if "-----BEGIN PUBLIC" in output or "-----BEGIN CERT" in output:
        return []
    lines = [line.strip() for line in output.strip().split("\n")]
    if len(lines) > FEW_LINES:  # beside news of other commands: what looks generated, on a line of its own, and rows of settings
        rows = [line.split() for line in lines]
        if all([len(row) == 2 and row[0][-1] in ":=" for row in rows]):
            values = [row[1].strip("\"',") for row in rows if not _is_other(row[0])]
            values = [value for value in values if not value.startswith(SUMS)]
            return [value for value in values if is_made_by_hand(value) or looks_random(value) or is_generated(value)]
        alone = [line for line in lines if " " not in line and "." not in line and len(line) > FEWEST_ALONE]
        return [line for line in alone if looks_random(line) and not HEX_DIGITS.issuperset(line) and not line.startswith(SUMS)]
    words = [line.split() for line in lines]
    values = [
        said[-1].strip("\"',")
        for said in words
        if len(said) == 1 or (said and len(said) <= FEW_LINES and CODE.isdisjoint(said[-1]) and not _is_other(said[-2]))
    ]
    values = [value for value in values if value and (value.isascii() or value.isalnum())]
    return [value for value in values if not value.startswith(SUMS) and not _is_file(value)]


def _is_other(label: str) -> bool:
    """Say whether a label says that what stands behind it is no secret: `objectGUID::`."""
    return label[-1:] in ":=" and not OTHER_LABELS.isdisjoint(words_of(label)[-1:])


def _is_file(value: str) -> bool:
    """Say whether a value is the name of a file, or a path."""
    name, _, kind = value.rpartition(".")
    if (
        value.count("/") > 1
        and not looks_random(value.rpartition("/")[2])
        and value.replace("/", "a").replace(".", "a").isidentifier()
    ):
        return True
    return name.replace("_", "a").replace("-", "a").isalnum() and kind.isalpha() and kind.islower() and len(kind) < 5


def _without_value(output: str, kind: str) -> str:
    for value in _values(output):
        is_hex = kind == "issued" and len(value) > 31 and HEX_DIGITS.issuperset(value)
        is_one = (
            is_hex or looks_random(value) or is_generated(value) or (kind == "issued" and is_made_by_hand(value))
            if kind in ("key", "word", "issued")
            else len(value) > 5 and not is_filler(value) and not is_plain(value)
        )
        if kind == "word":  # alone, and no hash, path or address
            is_one = (
                is_one
                and len(value) > 19
                and not HEX_DIGITS.issuperset(value.replace("-", ""))
                and not any([sign in value for sign in "/.:"])
            )
            is_one = is_one and output.strip() == value
        is_humped = kind == "password" and value[1:] != value[1:].lower() and not value.isupper()
        if is_one and (is_humped or any([char in DIGITS or not char.isalnum() for char in value])):
            output = output.replace(value, MARK)
    return output
