"""Passwords of words, in columns, quotes and lines of their own, and what a program is told in quotes; what only looks so stays."""

import pytest

from tests.core.redaction import leaking

CUT = [
    # what a sentence says: in marks, behind more words, on the next line, and right behind the name
    ("cat README.md", "Log in as `preview`, the password is `mango-tram-falcon`,\nand ask Ingrid.", "mango-tram-falcon"),
    ("cat mail.txt", "Bitte melden Sie sich mit dem Kennwort xG4)mT.w9Ls an.", "xG4)mT.w9Ls"),
    ("cat mail.txt", "Das Kennwort des Kontos svc-druck lautet jetzt Qx4;Wildgans=hV, bis Mai.", "Qx4;Wildgans=hV"),
    ("git log", "mail: rotate relay login\n\nThe new password is\nf2H*boje_Nord (Jens knows it).", "f2H*boje_Nord"),
    ("cat chat.txt", "solène: user ADMIN, pass is Tournesol/Nuit6\n", "Tournesol/Nuit6"),
    ("cat chat.txt", "it's now web88 / Mozzarella%Bufala (told Sara)", "Mozzarella%Bufala"),
    # words that neither code nor documentation has, which nothing but their name tells
    ("cat app.ini", "db_user = x\ndb_pwd = kanelbroodje-op-zondag\n", "kanelbroodje-op-zondag"),
    ("cat deploy.yml", "  username: www\n  password: honigwabe_linde\n", "honigwabe_linde"),
    ("reg query x", "    ProxyPassword    REG_SZ    Stroopwafel=lekker\n", "Stroopwafel=lekker"),
    ("psql -c x", "IDENTIFIED BY 'Schranke'", "Schranke"),
    # behind names that stand alone in a text
    ("make", "built\nX-Session: 1nBwbu7YdcoVwGEJafIMQytYbwCP7A4UqYTX1\n", "1nBwbu7YdcoVwGEJ"),
    ("make", "built\nPHPSESSID=dxcfs8m8YvCeIkEpAQ40nk2M2Lu25cC2\n", "dxcfs8m8YvCeIkEp"),
    # digits alone, where a name says so
    ("cat notes.txt", "prod login: user ada password=4839201756", "4839201756"),
    # below and behind what looks it up, beside a name in a frame with numbered rows, and handed on
    ("cat s.py", 'KEY = env(\n    "DJANGO_SECRET_KEY",\n    default="Xb1uyNH15GrEmOj9zZHVq79IQ2HX1uBV",\n)', "Xb1uyNH15GrE"),
    ("cat m.go", 'c := dav.NewClient(remote, "scan", "Papierstau#2022")', "Papierstau#2022"),
    ("tr -d '\\n' <<< 'ePodpGFWwab_VmGWtBP_URihwuz5IKK3' | wrangler secret put KEY", "ok", "ePodpGFWwab_VmGWtBP"),
    ("adb shell cmd wifi connect-network Flat wpa2 'Kaffee+Kuchen um 3'", "ok", "Kaffee+Kuchen um 3"),
    # a few words with blanks, where the name of a password says so
    ("cat app.properties", "ssl.key-store-password=stille kade 4", "stille kade 4"),
    ("nix eval .#wifi", '{ home = { psk = "groene fiets 31"; }; }', "groene fiets 31"),
    ("app --dump", "{'private_key_passphrase': 'kleine rode boot', 'port': 22}", "kleine rode boot"),
    ("app --dump", 'Config {dbPass = Password "noche en Lugo", port = 1}', "noche en Lugo"),
    ("cat notes.txt", "The password is grey Heron 5.\nCall me.", "grey Heron 5"),
    ("mix test", 'code:  assert config[:password] == "x"\nleft:  "torre blanca"\nright: "x"', "torre blanca"),
    # where a first word has no capital, and where one ends with digits
    ("adb logcat", 'request {"email":"a@b.test","password":"barco-Verde"}', "barco-Verde"),
    ("ssh router /export", "/ppp secret add name=t7 password=calle44.norte service=l2tp", "calle44.norte"),
    ("compose config", "      DB_PASSWORD: lemon.grove.shed\n", "lemon.grove.shed"),
    # below the head of a column, of small letters, and what a query makes of it
    (
        "mysql -t app",
        "+----+----------+\n| id | passwd   |\n+----+----------+\n|  1 | sommerwind |\n+----+----------+",
        "sommerwind",
    ),
    ("sqlcmd -Q x", "Carrier FtpPassword\n------- -----------\nGLS dos-puentes\n", "dos-puentes"),
    ("mysql -e x", "id\thex(pass)\n1\t57696e6473746f726d2d47616c65\n", "57696e6473746f726d2d47616c65"),
    ("app env", " Name       Default   Real\n APP_TOKEN  n/a       SH5gpUJ8OCuFQwfGSRM099RUCyun\n", "SH5gpUJ8OCuFQwfGSRM099RUCyun"),
    ("app env", "│ PG_PASS  │ foxes at dawn 41  │  │", "foxes at dawn 41"),
    ("app keys", "name │ ✔ │ secret\nops  │ ✔ │ q8ZtR4vLmX2kWp9sYb3N", "q8ZtR4vLmX2kWp9sYb3N"),
    (
        "duckdb x",
        "│ name │ token │\n├──────┼───────┤\n│ a │ ainishuqftvsepvfjoyhhfekjrkjhjed │",
        "ainishuqftvsepvfjoyhhfekjrkjhjed",
    ),
    # what stands in quotes around a name and a value, or behind a text that ends with a name
    ("compose config", 'command: ["--relay-pass=Ferry&Bell1"]', "Ferry&Bell1"),
    ("grep PWD Mod.bas", 'conn.Open "DSN=AS;UID=Q;PWD=" & "Greenl1ght"', "Greenl1ght"),
    ("app --dump", "Db(user = x, password = Secret(lotsenboot77))", "lotsenboot77"),
    # what a program is told in quotes, through a pipe or behind a flag
    ('db2 "connect to SHOP user adm using Teal_Barn1"', "ok", "Teal_Barn1"),
    ("echo 'open -u eva,Clay/Oven8 sftp://h.test; bye' | lftp", "ok", "Clay/Oven8"),
    ("impacket-smbclient -hashes :e16c906aaf80319dd2ea193d17d88668 D/u@10.0.0.1", "ok", "e16c906aaf80319dd2ea193d17d88668"),
    ("winlog", '"CommandLine": "schtasks /create /ru D\\\\b /rp Late_Crow4",', "Late_Crow4"),
    ("strace x", 'write(4, "PASS Muelle.Sur9\\r\\n", 20) = 20', "Muelle.Sur9"),
    ("printf '\\0mailer\\0Postzug#1' | base64", "ok", "Postzug#1"),
    ("base64 -d <<< c210cF9wYXNzd29yZD1Hcm90ZSBTbHVpcyA1", "ok", "c210cF9wYXNzd29yZD1Hcm90ZSBTbHVpcyA1"),
    # what commands print that name secrets, in rows; what is copied to a terminal on its way
    (
        "knife data bag show secrets db",
        "id:       db\nroot:     Chef&Fork_Cut8\nreplica:  BWAi3SUXyybmjLWD0nDE\nport:     1",
        "Chef&Fork_Cut8",
    ),
    ("hashcat -m 1000 --show h", "b133a4afd528b98f4dc18d525a48be9f:Summertime2023!", "Summertime2023!"),
    (
        "aws ecr get-login-password | tee /dev/stderr | docker login -u AWS --password-stdin r.test",
        "Q29mZmVlVGFibGVSdW5uZXI4\nOk",
        "Q29m",
    ),
    # a key of a section, a key that is encoded, a value whose type says so
    ("rclone config show", "[b2]\naccount = 003b27f5cb99\nkey = K003p7WVrvhvgML+S4RSiN6to0XTDCQ\n", "K003p7WVrv"),
    ("jq -n x", '{name:"deploy", value:"mkCiVIkeeZtd03Bl2eKfcWFQ", type:"secret_text"}', "mkCiVIkee"),
    # a comparison above the name of its test, one text within another, an argument in a trace
    ("pytest", "E   AssertionError: expected 'Teal-Kettle7' got ''\ntest_password_is_kept FAILED", "Teal-Kettle7"),
    (
        "xcodebuild test",
        'testKeychain: XCTAssertEqual failed: ("Optional("Cork-Raft")") is not equal to ("nil") - stored password',
        "Cork-Raft",
    ),
    # below a head that several tabs align, which keeps its ids; in a numbered list of pairs
    ("influx auth list", "ID\t\t\tToken\t\t\tUser Name\n0c1ab94a76593894\tScFTd7rW0xBZRuxHBfB2_WXgGGJl==\tadmin\n", "ScFTd7rW0x"),
    ("redis-cli CONFIG GET '*pass'", '1) "requirepass"\n2) "grutto88Polder"\n', "grutto88Polder"),
    # a label that is a word of its own beside a user; a setting behind its file's name, and one that a flag of Java makes
    ("go run .", "cfg={Host:db User:shop Pass:Spatz_auf-Dach7 Debug:true}", "Spatz_auf-Dach7"),
    ("go run .", "cfg={Pass:Tulp_veld-9x User:shop Host:db}", "Tulp_veld-9x"),
    ("salt web1 pillar.items", "mysql:\n    pass:\n        Murmel&tier62\n    user:\n        shop\n", "Murmel&tier62"),
    ("git config --list --show-origin", "file:/home/a/.gitconfig\tsendemail.smtppass=uhkssrxtdhcznwgf\n", "uhkssrxtdhcznwgf"),
    ("cat /proc/1/environ", "JAVA_OPTS=-Xmx2g -Djavax.net.ssl.keyStorePassword=Oyster.bed_5\n", "Oyster.bed_5"),
    ("phpunit", "#0 Ldap.php:24 ldap_bind(resource, 'cn=svc', 'Melkstoel-2')", "Melkstoel-2"),
]  # fmt: skip

KEPT = [
    ("cargo test auth", "test auth::password::verifies_argon2id_hash ... ok\n"),
    ("app stats", "password_changed_at=1718700012\npassword_count: 12345678\n"),
    ("cat handler.go", "panic: signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x6f21b4\n"),
    ("psql -c x", "password: stays-as-is\n"),
    ("npm test", '{"password": "must be longer", "new_password": "does not match"}'),
    ("cat form.json", '{"password": "at least 8 characters", "password_hint": "between 8 and 64"}'),
    ("cat form.ts", 'const labels = { password: "Choose one", passwordAgain: "Once more" }'),
    ("app status", "| Account | Password |\n|---------|----------|\n| root | locked |\n| bob | expired |"),
    ("mlflow runs list", "Name             ID\n---------------  -----\npassword-filter  1e7c2368796af484ae6989a4dd7b8030"),
    (
        "kubectl describe secret pg",
        "Name:         pg-app\nLabels:       app.kubernetes.io/name=x\n\nData\n====\npassword:  24 bytes",
    ),
    (
        "openssl ec -in edge.key -pubout",
        ("-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmKm2gpCuxirSjPwdORk6gyAy/7Qh\n"
        "-----END PUBLIC KEY-----"),
    ),
    ("sudo grep -c . /etc/shadow", "38"),
    ("getent passwd yard", "yard:x:1004:1004:Yard service:/srv/yard:/usr/sbin/nologin"),
    ("cat pam.d/common-password", "password\trequisite\t\t\tpam_deny.so\npassword\trequired\t\t\tpam_permit.so"),
    ("tar tzf b.tgz | grep -i secret", "srv/app/config/secrets/prod/prod.public.php"),
    ("ipfs add -Q m.pdf", "QmI2MkxVC4xQgn7mS5WAgxH6LLVgnfIWrKVsIAH6NAQ1Bv"),
    ("aws cloudformation x", '"EventId": "DBSecret-CREATE_COMPLETE-2025-05-06T07:30:11.110Z"'),
    (
        "grep -rn password src",
        'src/form.ts:29: <label htmlFor="password">{t("login.password")}</label>\nsrc/auth/api.ts:8:  return post()',
    ),
    ("cat zlib.js", "class Zlib extends Minipass {\n  #flushFlag;\n  #fullFlushFlag;\n  return this.#fullFlushFlag;\n}"),
    ("cat pipeline.js", "class Pipeline extends Minipass {\n    this[_setHead](streams[0])\n}"),
    ("cat opt.py", "longopt_pat = r'[a-zA-Z](?:[a-zA-Z0-9-]*)'"),
    ("cat run.py", "memory_planning_pass=MemoryPlanningPass(\n    x,\n)"),
    ("cat ed.py", "class _Ed448PrivateKey(Ed448PrivateKey):\n    secret = None"),
    ("cat auth.js", "const p = Buffer.from(password, 'base64').toString('utf8')"),
    ("cat api.py", 'url = "https://example.com/authorize?code_challenge=kjasBS523KdkAILD2k78NdcJSk2k3KHG6"'),
    ("cat socks.js", "InvalidCustomAuthRange: 'Custom auth must be a value between 0x80 and 0xFE.',"),
    ("vault secrets list", "Path     Type  Accessor     Description\nsecret/  kv    kv_99bdd6b4  n/a\n"),
    ("go test", "cfg_test.go:12: cfg.User: required, cfg.Pass: required"),
    ("app test --yaml", "pass:\n    test_login12\nfail:\n    test_b3\n"),
    ("redis-cli KEYS '*pass*'", '1) "user:1:password"\n2) "user:2:password"\n'),
    ("mvn -Dmaven.password.file=secrets.properties -Dtest.token=none verify", "BUILD SUCCESS"),
    ("influx user list", "ID\t\t\tToken\t\tName\n0c1ab94a76593894\t3 tokens\tadmin\n"),
    ("cat pkcs12.h", "#define PKCS12_key_gen PKCS12_key_gen_utf8"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "text", "secret"), CUT, ids=[str(at) for at in range(len(CUT))])
def test_a_password_of_words_is_cut(command, text, secret):
    assert secret not in leaking.stored(command, text)


@pytest.mark.parametrize(("command", "text"), KEPT, ids=[str(at) for at in range(len(KEPT))])
def test_what_only_looks_like_one_stays(command, text):
    assert "[REDACTED" not in leaking.stored(command, text) + leaking.pasted(command, text)


def test_the_name_of_a_class_is_not_looked_for_again_and_a_password_is():
    found = leaking.stored("app --dump", "token = Ab3xYz91QpLm7\nclass Ab3xYz91QpLm7: pass\n")
    assert "Ab3xYz91QpLm7" not in found
    from ralph_mem.core.redaction import repeats

    assert not repeats.is_telling("Gemma2TextModel") and not repeats.is_telling("#fullFlushFlag")
    assert repeats.is_telling("Barn@Door#1/Ajar")
