"""Ordinary text of builds, listings and commits that only looks like secrets stays to the character; secrets beside it go."""

import pytest

from tests.core.redaction import leaking

KEPT = [
    # what a command prints of a function that makes tokens
    (
        "python -c 'import secrets; help(secrets.token_urlsafe)'",
        "Help on function token_urlsafe in module secrets:\ntoken_urlsafe(nbytes=None)\n    Return a random URL-safe string.",
    ),
    # sums of packages in a list of them
    (
        "cat Podfile.lock",
        (
            "SPEC CHECKSUMS:\n  Alamofire: 3e3b5c1e2d4f60718293a4b5c6d7e8f901234567\n"
            "  AppAuth: d4f13a8fe0baf391b2108511793e4b479691fb73\n  JWT: 062d07f1f0f1c1f1a7a3e6b6b3a8a4c5d6e7f809"
        ),
    ),
    # keys of a keyboard
    ("cat keys.json", '{ "secret": { "key": "Ctrl+Shift+F12" }, "token": { "key": "RightAlt+KeyQ" } }'),
    # variables, of a shell within quotes and of a template
    ("cat ci.yml", '  - sh "mvn -Dsonar.password=$SONAR_PW_2"\n  - run: \'app -Dapi.token=$API_TOKEN2\''),
    ("cat test9", "-u fake:user -x %HOST6IP:%PORT2\n-g --login %USER2-NB\n"),
    # what a lexer shows, what signs a program, what a script tests
    ("./lex a.c", 'Token(NUMBER, "token_id_77")\n12  Token(Kind.STRING, "pass_key_12")'),
    ("codesign -dv a.app", "Authority=Apple Development: Eva Moreno (K7W2Q9ZX4M)\nTeamIdentifier=K7W2Q9ZX4M"),
    ("cat configure.ac", 'elif test "x$WITH_SSL3" != "x" -a "x$HAVE_LIBZ2_H" = "xyes"; then'),
    # a drive, names that are joined, a file that is written by way of sudo
    ("cat b.sh", '  curl=$(cygpath -u "D:/tools2/bin/curl.exe")\n'),
    ("cat ci.yml", 'avdmanager create avd -n ci -k "system-images;android-34;google_apis;x86_64"'),
    ("cat setup.sh", "echo 'SUBSYSTEM==\"usb\", MODE=\"0664\", GROUP=\"dev2\"' | sudo tee /etc/udev/rules.d/51-usb.rules"),
    # code, addresses and sums in a commit
    ("git show", "-#include <pwd.h>\n+#include <sys/token.h>\n+#include <fcntl.h>\n"),
    ("git show", "+  if(conf->key_passwd) {\n+    rc = load(gtls->creds, conf->cert, GNUTLS_X509_FMT_DER,\n+      0);\n+  }"),
    ("curl -i h.test", "Set-Cookie: sid2=; Path=/a1; Max-Age=-1; Expires=Fri, 02 Feb 1990 00:00:00 GMT; SameSite=Lax2"),
    (
        "mysql -te 'SELECT user, plugin FROM mysql.user'",
        "| user | plugin                |\n| app  | caching_sha2_password |\n| sync | auth_ed25519          |",
    ),
    ("vcpkg install", "Submitted zlib:x64-windows2@1.3.1 to 0 caches"),
    ("cat test2", "--pinnedpubkey sha256//Zk4xQ0xLm7TwRb29HcYpN4sGfUeVk81zQ0xLm7TwRb2="),
    # what a compiler says of a file and of types, a trace of places in memory
    ("./gradlew build", "e: file:///src/main/kotlin/auth/SessionKeys.kt:118:42 Unresolved reference: clearKeys"),
    ("stack build", "    * Couldn't match expected type: PasswordDigest Argon3\n  with actual type: IO (PasswordDigest Argon3)"),
    ("./api", "panic: no token\nmain.(*TokenCache).Load(0x0, {0xc0000b41e0, 0x18})\nauth.MustSecret({0xa3f7d2, 0x12})"),
    # a label in another language, an object that holds a secret, words of a regular expression, versions
    ("cat ja.json", '  "oldPassword": "古いパスワード",\n  "newPassword": "新しいパスワード"'),
    ("kubectl get events", 'SetUp failed for volume "api-credentials" : secret "api-db-credentials-7h4kd9fm2t" not found'),
    ("cat .sops.yaml", "    encrypted_regex: '^(data|secret|password|authKey)$'"),
    ("dpkg -l | grep passwd", "ii  base-passwd                    3.5.52build2         amd64   master password and group files"),
    ("fly secrets list", "NAME               DIGEST            CREATED AT\nSESSION_SECRET     b71c04e96d25fa83  Mar 9 2023 14:20"),
    ("cat tokens.css", "  --token-color-border-strong: var(--palette-gray-70);"),
    # what a lexer shows, and commands that print no secret
    ("./lex a.g4", "[@0,0:5='secret',<ID>,1:0]\n[@1,7:7='=',<'='>,1:7]\n[@2,9:9='4',<INT>,1:9]"),
    ("openssl list -kdf-algorithms", "PBKDF2 @ default"),
    ('echo "$PWD" "OLDPWD=$OLDPWD"', "/srv/portal/auth-tokens OLDPWD=/srv/portal/credential-store"),
    ("cat notes", "The password is hashed with argon2id; our token is sha256 of it, the secret is version3 now."),
    ("cat notes", "Our password hash is argon2id, and the PIN hash is bcrypt2."),
    # keys of stores and caches, sums of what is secret, what is not real, who may use a token
    ("redis-cli --scan", "token:stats:2031-03-04:issued\ntoken:bucket:user:48812\nsess:2031"),
    ("./gradlew test", "expected: <Refreshed(token=FakeToken#2)> but was: <Valid(token=FakeToken#1)>"),
    ("helm diff", "-  checksum/secret: 6dab3a8624e2d15942795ebef9ccf2692fb47a0039bb969c319db9f07965c522"),
    ("gh run view", "Cache restored from key: Linux-npm-106115daebfa6cdfc71642eb83887ceda37ed57c351c95907d617888ebcb3d5f"),
    ("kubectl get pod a -o yaml", "    - name: TOKEN_AUDIENCE\n      value: orders-internal-v2"),
    ("forge test", "UnknownToken(0xB1c97a44217c6218b36c1d19D4a2e9Eb0cE3606e)\n  token: 0xB1c97a44217c6218b36c1d19D4a2e9Eb0cE3606e"),
    # methods, public keys, a sentence behind a label, the name of a credential, a switch
    ("hashcat --help", "  22000 | WPA-PBKDF2-PMKID+EAPOL                           | Network Protocol"),
    ("openssl rsa -pubin -in jwt.pub -text", "Modulus:\n    00:67:13:D3:EB:43:98:45:2D:24:AB:62:F2:62:6E:\nExponent: 65537"),
    ("dig DNSKEY a.test +short", "257 3 13 zwa8uO3D2IuHyqmQnHrWnbMdfDOXKF2kZJTl57qlGsTPmyv1sRVpWl/e1/XL0LLD"),
    ("gh pr view 7", "トークン: 有効期限を15分から5分に変更。"),
    ("systemctl cat a", "LoadCredentialEncrypted=api-token"),
    # which key signs, a test that passed, what a request is told by, a public key behind a flag, a sum of a package
    ("git config --list", "file:/home/a/.gitconfig\tuser.signingkey=6A465723831EE33A6723EBD11D37AFC7D20B6CFA"),
    ("go test ./auth", "=== RUN   TestPasswordPolicy_MinLength12\n--- PASS: TestPasswordPolicy_MinLength12 (0.00s)"),
    ("aws cloudformation describe-stack-events", "(RequestToken: 9b1bb4ac-afaa-49d8-9a81-93d86779367f, Code: X)"),
    ("minisign -Vm a.zst -P RWQXoVmOLd24LuYByjShpFNUWaS8+lJzSrHE61tEWvS1LEG3DMinlCc0", "Signature and comment signature verified"),
    ("head -1 a; npm view jsonwebtoken dist.integrity", "{\n a\n b\n c\nsha512-MT/xP0CrubFRNLNKvxJ2BYfy53Zkm+bX9dtuPbqAeQpTV0=="),
    ('reg query "HKLM\\\\Lsa" /v LimitBlankPasswordUse', "    LimitBlankPasswordUse    REG_DWORD    0x1"),
    # what stands behind a password that a variable holds
    ("mysqldump -u $DB_USER -p$DB_PASS lager > lager.sql", ""),
    # parts of a public key
    ("curl a.test/jwks", '{"kty":"EC","crv":"P-256","x":"h7Qm2Vt0LrXw9","y":"kz_QmVt0LrXw9HcYpN4sGfUeVk81zQ0xLm7TwRb29Hc"}'),
    # numbers of processes before what speaks of a PIN, which number a mail has in a queue
    ("adb logcat", "03-14 08:02:11.114  4471  4502 I LockUi: back to PIN entry, view=pin_0x7f0b02"),
    ("tail mail.log", "Passwort-Mail an kunde@firma.test gesendet, 250 2.0.0 Ok: queued as 4WkTz81Qv9r3pLx"),
    # an index named by what it holds, networks and how they are joined, labels of what is named for passwords
    ("curl es:9200/_cat/indices", "green open   token-audit-2031.04     c8PgZ3dLK5zV1bQfHjSuMx   1   1   902"),
    ("airodump-ng w", "#Data CH   ENC CIPHER AUTH ESSID\n\n 9  11   WPA2 CCMP   PSK  Cafe-Ulm-7"),
    ("ldapsync list", "passwd-sync        ldap,v2.7.1,eu-west\npasswd-cron        ldap,v2.7.1,eu-west"),
    # what a validator says
    ("cat form.ts", 'const password = z.string().min(12, "zu-kurz-12").max(99);\npass2: yup.string().required("pflicht_2"),'),
    # codes of errors that speak of themselves
    ("pytest", "> assert r.json()['code'] == 'AUTH_PIN_LOCKED_0733'\nE assert 'AUTH_PW_SHORT_0712' == 'AUTH_PW_REUSED_0733'"),
    ("tail app.log", "Passwort abgelaufen (code: PWD-EXP-34)\nパスワードを再設定してください。コード: PWD-EXP-35"),
    ("cat e.go", 'var codes = map[error]string{ErrBadPassword: "AUTH-5230"}'),
    # a key by which something is looked up, a tag, what a proxy does
    ("cat rates.toml", 'key = "tarif:2031Q2:arbeitspreis"\nSECRET_SANTA_TAG = "wichteln-2031"\npass = "through"'),
    # names in code that end with `type`, fields of a tuple, a zone of a cloud, when something was read, a type, a log
    ("cat a.py", 'password = ask()\nif self.type == "seq2seq":\n    matrix_type = "diagonal rank"'),
    ("cat a.py", "Arguments = namedtuple('Arguments', 'args, varargs, varkw')"),
    ("cat a.py", 'boto3.client("s3", "us-west-2")'),
    ("stat x", 'last_access=2026-11-03T08:15:30Z\n{"LastAccess":"20261103T081530Z"}'),
    ("cat a.py", "CertificateSigningRequest = rust_x509.CertificateSigningRequest"),
    ("cat log", 'ERROR LOGIN failed "Too many attempts"'),
]  # fmt: skip

CUT = [
    ("python -c 'import secrets; print(secrets.token_hex(16))'", "8f3ac1075eb944f2196dd0832b7ea5c8", "8f3ac1075eb9"),
    ("cat conf.yml", "auth:\n  jwt: 8f3ac1075eb944f2196dd0832b7ea5c8510ef7923d68bc1ae47905d68b409f23", "8f3ac1075eb944f2"),
    ("cat conf.yml", "AppAuth: 8f3ac1075eb944f2196dd0832b7ea5c8510ef792\nLog: 3e3b5c1e2d4f60718293a4b5c6d7e8f9", "8f3ac1075eb9"),
    ("python mint.py", "token_hex:\nSigningSecret: 3e3b5c1e2d4f60718293a4b5c6d7e8f901234567\n", "3e3b5c1e2d4f"),
    ("cat a.json", '{ "secret": { "key": "Shift+Winter42" } }', "Shift+Winter42"),
    ("cat ci.yml", "sh './gradlew sonar -Dsonar.token=squ8Lm2QxT7vR'", "squ8Lm2QxT7vR"),
    ("cat a.scala", 'val t = Token(ADMIN, "9vKq2LxT8mWz4RbC")', "9vKq2LxT8mWz4RbC"),
    ("cat notes", "author of the token: 9vKq2LxT8mWz4RbC", "9vKq2LxT8mWz4RbC"),
    ("curl -u d:Kuh/Gras77 https://h.test", "ok", "Kuh/Gras77"),
    ("echo 'Turm&Uhr_19' | sudo -kS tee /etc/x", "ok", "Turm&Uhr_19"),
    ("echo 'root:Turm&Uhr_19' | sudo chpasswd", "ok", "Turm&Uhr_19"),
    ("curl -i h.test", "Set-Cookie: sid=8f3ac1075eb944f2; Path=/; Max-Age=60", "8f3ac1075eb944f2"),
    ("openssl enc -aes-256-cbc -k turmuhr-k19 -in a", "", "turmuhr-k19"),
    ("openssl aes-256-cbc -d -k turmuhr-k19 -in a", "", "turmuhr-k19"),
    ("curl a.test/jwks", '{"kty":"EC","x":"h7Qm2","d":"kz_QmVt0LrXw9HcYpN4sGfUeVk81zQ0xLm7TwRb29Hc"}', "kz_QmVt0LrXw9Hc"),
    ("adb logcat", "03-14 08:02:11.114  447  450 I LockUi: unlocked with PIN 83154", "83154"),
    ("cat notes", "token-audit-x     c8PgZ3dLK5zV1bQfHjSuMx", "c8PgZ3dLK5zV1bQf"),
    ("cat form.rs", 'let password = String::from("zu-kurz-12");', "zu-kurz-12"),
    ("cat form.ts", 'const password = z.string().default("Turm&Uhr_19");', "Turm&Uhr_19"),
    ("cat .env", "DB_PASS=PW_BADEN_0417", "PW_BADEN_0417"),
    ("cat c.py", 'password = "LOGIN-WINTER-77"', "LOGIN-WINTER-77"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "text"), KEPT, ids=[str(at) for at in range(len(KEPT))])
def test_ordinary_text_stays(command, text):
    assert "[REDACTED" not in leaking.stored(command, text)
    assert text in leaking.pasted(command, text)


@pytest.mark.parametrize(("command", "text", "secret"), CUT, ids=[str(at) for at in range(len(CUT))])
def test_a_secret_that_looks_like_it_is_cut(command, text, secret):
    assert secret not in leaking.stored(command, text) + leaking.pasted(command, text)
