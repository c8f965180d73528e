"""Secrets that stand below or beside what tells of them: of calls, flags and rows, beside a mask, as bytes, phrases and codes."""

import pytest

from tests.core.redaction import leaking

CUT = [
    # the other side of what a test compares with a mask
    ("pytest", "E       AssertionError: assert '90417' == '•••••'\nE         - •••••\nE         + 90417", "90417"),
    ("npx jest", 'expect(received).toBe(expected)\n\n    Expected: "[FILTERED]"\n    Received: "lagoon42"', "lagoon42"),
    ("mvn test", "org.opentest4j.AssertionFailedError: expected: <****> but was: <Regen7Tag>", "Regen7Tag"),
    ("rspec", '       expected: "<redacted>"\n            got: "r0sa-do-vento"', "r0sa-do-vento"),
    ("dotnet test", "  Assert.Equal() Failure\n  Expected: ********\n  Actual:   zk81mola", "zk81mola"),
    ("go test ./...", 'mask_test.go:9: got "hv_83kQp0", want "***"', "hv_83kQp0"),
    ("Invoke-Pester", "Expected strings to be the same, the password is new.\n But was:  'T7:Qe{9mX}Lo'", "T7:Qe{9mX}Lo"),
    # in a call that goes on below
    ("cargo run", 'Cfg {\n    api_token: Some(\n        "hQ7x.Lw2Z-vT9kRb3M",\n    ),\n}', "hQ7x.Lw2Z-vT9kRb3M"),
    ("cat App.kt", 'val dbPassword: Secret = Secret(\n    "Nebel7Horn&x",\n)', "Nebel7Horn&x"),
    ("cat Main.scala", 'clientSecret = Sensitive(\n  "9vKq2LxT8mWz4RbC"\n)', "9vKq2LxT8mWz4RbC"),
    ("cat Db.cs", 'var password = new SecretText(\n    @"Brisa!Mar42"\n);', "Brisa!Mar42"),
    ("cat ci.groovy", 'def key = Secret.fromString("7c01e9b2f4a85d36907be1")', "7c01e9b2f4a85d36907be1"),
    ("cat stack.ts", 'const s = SecretValue.unsafePlainText("Vw8z!kQ2rTx5");', "Vw8z!kQ2rTx5"),
    ("cat A.java", 'ApiToken t = ApiToken.valueOf("q9Lw3xZk7VtB2mRc");', "q9Lw3xZk7VtB2mRc"),
    # a flag, and its value on the next line
    ("docker inspect db", '"Cmd": [\n    "app",\n    "--db-password",\n    "Turm&Uhr_19",\n    "-v"\n]', "Turm&Uhr_19"),
    ("cat pod.yaml", "args:\n  - --auth-token\n  - g7Kx2QwLz9VtR4mB\n  - --port\n  - '80'", "g7Kx2QwLz9VtR4mB"),
    ("kubectl describe pod q", "    Args:\n      --requirepass\n      Lluvia.Gris_4\n      --save\n", "Lluvia.Gris_4"),
    # a row whose name and value are fields of their own
    ("mysql -e x", "*** 1. row ***\nVariable_name: smtp_password\n        Value: Kw9zLx7QvT2m", "Kw9zLx7QvT2m"),
    ("psql -x", "-[ RECORD 1 ]-----\nschlüssel | ldap.passwort\nwert      | Ziegel#Dach3\n", "Ziegel#Dach3"),
    ("psql -x", "-[ RECORD 1 ]-----\nnom    | api_token\nvaleur | x81LqZw7TkVm20Rb\n", "x81LqZw7TkVm20Rb"),
    ("mysql -e x", "*** 3. row ***\n nome: gateway.senha\nvalor: Praia&Sol2024", "Praia&Sol2024"),
    ("mysql -e x", "*** 3. row ***\nchiave: posta.password\nvalore: Lago_Blu77x", "Lago_Blu77x"),
    # a key as the numbers of its bytes
    ("dlv x", "signingKey: []uint8 len: 12, cap: 12, [7,201,33,90,188,64,2,119,230,58,91,205]", "201,33,90,188"),
    (
        "cat k.swift",
        "let hmacKey: [UInt8] = [0x8f, 0x3a, 0xc1, 0x07, 0x5e, 0xb9, 0x44, 0xf2, 0x19, 0x6d, 0xd0, 0x83]",
        "0xc1, 0x07, 0x5e",
    ),
    ("cat k.js", "const secretKey = Buffer.from([143, 22, 201, 7, 90, 188, 64, 251, 33, 119, 4, 230])", "201, 7, 90"),
    ("cat K.java", "byte[] aesKey = {12, -44, 97, 3, 88, -120, 5, 61, 17, -9, 33, 70};", "97, 3, 88"),
    ("cat k.rs", "const MASTER_KEY: [u8; 12] = [9u8, 200u8, 31, 7, 99, 14, 250, 77, 1, 180, 66, 23];", "31, 7, 99"),
    # in a statement, a line of configuration, a command that is encoded
    ("cat a.sql", "alter user rep identified by Monte_Alto7 replace Valle_Bajo3;", "Valle_Bajo3"),
    ("cat a.sql", "CONNECT hr/Olmo_Seco9@//db1:1521/ORCL", "Olmo_Seco9"),
    ("sqlplus /nolog", "SQL> conn app/Haya#Roja5@//db1/X\nConnected.", "Haya#Roja5"),
    ("show user local", 'edit "eva"\n    set password ENC Vk81zQ0xLm7TwRb29HcYpN4sGfUe==\nnext', "Vk81zQ0xLm7TwRb29HcYpN4sGfUe"),
    ("show system admin", "    set private-key-secret ENC pQ81zk0xLm7TwRb29HcYpN4sGfUe\n", "pQ81zk0xLm7TwRb29HcYpN4sGfUe"),
    ("show tacplus", '10.0.0.9 secret "$9$kP5Qz3nCtuRSKM87Vb"; ## SECRET-DATA', "kP5Qz3nCtuRSKM87Vb"),
    ("show ike", "pre-shared-key ascii-text $9$mT3/9CuEcyKWLxNV;", "mT3/9CuEcyKWLxNV"),
    ("show bgp", 'authentication-key "$9$Ab1hSeWLxNdsYg4"', "Ab1hSeWLxNdsYg4"),
    ("cat vm.args", "-name a@h1\n-setcookie QWHZMNRTLKPXVBDS\n", "QWHZMNRTLKPXVBDS"),
    ("compose config", "  RELEASE_COOKIE: KXWQZMTNBVLRHSPD\n", "KXWQZMTNBVLRHSPD"),
    ("kubectl get cm -o yaml", "ERLANG_COOKIE: MZNXBVLAKSJDHFGQ\n", "MZNXBVLAKSJDHFGQ"),
    # "net use z: \\s\c 'Faro.Norte22'", "$pw = \"Trigo_Verde8\"", "'Hafen#Licht3'" in two bytes to a character
    (
        "journalctl",
        "pwsh -enc bgBlAHQAIAB1AHMAZQAgAHoAOgAgAFwAXABzAFwAYwAgACcARgBhAHIAbwAuAE4AbwByAHQAZQAyADIAJwA=",
        "bgBlAHQAIAB1AHMAZQ",
    ),
    ("tasklist", "powershell.exe -EncodedCommand JABwAHcAIAA9ACAAIgBUAHIAaQBnAG8AXwBWAGUAcgBkAGUAOAAiAA==", "JABwAHcAIAA9ACAA"),
    ("cat t.xml", "powershell -NoP -enc JwBIAGEAZgBlAG4AIwBMAGkAYwBoAHQAMwAnAA==", "JwBIAGEAZgBlAG4AIwBM"),
    # a phrase of several words, a code for once, a ticket, a sign of the shell within a value
    ("jq .x", '"{\\"secretPhrase\\":\\"tres tigres comen trigo en un trigal\\"}"', "tigres comen trigo"),
    ("cat w.yml", "recovery_phrase: el rio baja muy lento hoy 9\n", "baja muy lento"),
    ("cat w.json", '{"seedPhrase": "der alte kahn liegt noch im schilf"}', "kahn liegt noch"),
    ("tail app.log", "OtpService : OTP 610394 sent to +34 6**", "610394"),
    ("tail sms.log", "otp=1 sms: Your verification code is 480217. Do not share it", "480217"),
    ("tail sms.log", "OTP: su código de verificación es 552 901", "552 901"),
    ("tail a.log", "GET /x ticket=ST-18563-aA5Yuvrxzpv8Tau1cYQ7 200", "aA5Yuvrxzpv8Tau1cYQ7"),
    ("tail a.log", "10.2.0.1 GET /ws.do ticket=4F7K-Q2ZP-09XW-LM3V 200", "4F7K-Q2ZP-09XW-LM3V"),
    ("gradle publish", "auth: user=ci, password=Nordsee$Krabbe", "Nordsee$Krabbe"),
    ("app --dump", "db.pwd: Lago$Verde\n", "Lago$Verde"),
    ("app --dump", 'login {"user":"a","password":"Foret$Noire"}', "Foret$Noire"),
]  # fmt: skip
DUMPED = [
    ("xxd keys/session_secret.bin", "00000000: 8f3a c107 5eb9 44f2 196d d083 2b7e a5c8  .:..^.D..m..+~..", "c107 5eb9"),
    ("hexdump -C /srv/app/signing-key.bin", "00000000  51 0e f7 92 3d 68 bc 1a  e4 79 05 d6 8b 40 9f 23  |Q...|", "f7 92 3d"),
    ("od -An -tx1 hmac_key", " 51 0e f7 92 3d 68 bc 1a e4 79 05 d6 8b 40 9f 23", "f7 92 3d"),
]

KEPT = [
    # a help in columns, in any language
    ("app -h", " -storepass         Ändert das Kennwort des Speichers\n -keypasswd          Change the password of a key\n"),
    ("app -h", "  -kennwort           Das Kennwort des Benutzers\n  -senha              Define a senha do cofre\n"),
    ("app -h", "  --mdp               Le mot de passe du coffre\n  --proxy-pass        Contraseña del proxy, opcional\n"),
    # a comparison without a mask, and masks that are compared with nothing
    ("git diff", "-***\n+---\n-* * *\n+Heading1\n"),
    ("pytest", "E       assert 'v1.2.3' == 'v1.2.4'\nE         - v1.2.4\nE         + v1.2.3"),
    ("npm test", "Expected: 12\nReceived: 13\n ** done **\n"),
    # calls, flags and fields that hold no secret
    ("cat a.py", 'password = getpass.getpass(\n    "Password of the store: "\n)\ntoken = re.compile(\n    r"[a-z]+[0-9]"\n)'),
    ("cat a.py", 'secret_name = Path(\n    "deploy/secrets/base"\n)\nkey = lookup(\n    "user-id-2"\n)'),
    ("app -h", "--password\n    The password to use\n--token\n--api-key\n--port\n8080\n"),
    ("mysql -e x", "*** 1. row ***\nVariable_name: max_connections\n        Value: 151\n"),
    ("cat a.js", "const keyCodes = [65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76]"),
    ("cat a.js", "const sizes = [143, 22, 201, 7, 90, 188, 64, 251, 33, 119, 4, 230]\nconst token = next()"),
    ("cat a.go", "publicKey := []byte{0x8f, 0x3a, 0xc1, 0x07, 0x5e, 0xb9, 0x44, 0xf2, 0x19, 0x6d, 0xd0, 0x83}"),
    # statements and settings, phrases and codes
    ("cat a.sql", "select replace (name, 'a', 'b') from t; connect by prior id = parent"),
    ("awk", "{print $8$9, $9$10}"),
    ("cat a.php", 'setcookie("lang", "es"); $cookie = "theme";'),
    ("cat en.json", '{"passphrase": "Enter the passphrase of your key", "seedPhrase": "Seed phrase of the wallet"}'),
    ("cat es.json", '{"frase_secreta": "escribe aquí la frase de tu cartera"}'),
    ("erl", "Erlang/OTP 26 [erts-14.0] [64-bit]\nOTP 27 released, code 200, verification code is sent"),
    ("tail a.log", "ticket=JIRA-4711 closed\nhttps://example.com/cb?code=ok&state=1"),
    ("pwsh", "powershell -enc VwByAGkAdABlAC0ASABvAHMAdAAgAGgAZQBsAGwAbwA="),
    ("xxd logo.png", "00000000: 8950 4e47 0d0a 1a0a 0000 000d 4948 4452  .PNG........IHDR"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "text", "secret"), CUT, ids=[str(at) for at in range(len(CUT))])
def test_what_stands_below_or_beside_its_sign_is_cut(command, text, secret):
    assert secret not in leaking.stored(command, text)
    assert secret not in leaking.pasted(command, text)


@pytest.mark.parametrize(("command", "text", "secret"), DUMPED, ids=["xxd", "hexdump", "od"])
def test_the_bytes_of_a_file_that_is_named_as_a_key_are_cut(command, text, secret):
    assert secret not in leaking.stored(command, text) + leaking.pasted(command, text)


@pytest.mark.parametrize(("command", "text"), KEPT, ids=[str(at) for at in range(len(KEPT))])
def test_what_only_looks_so_stays(command, text):
    assert "[REDACTED:" not in leaking.stored(command, text) + leaking.pasted(command, text)
