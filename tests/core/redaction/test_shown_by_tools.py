"""Secrets in what routers, dumps, tests, terminals and password tools show: each is told by the form that it stands in."""

import pytest

from tests.core.redaction import leaking

CUT = [
    # columns whose cells all stand in quotes, and names that are atoms or symbols
    ("head accounts.csv", '"Name","Login","Password","Site"\n"Bank","ines","Musgo&Cala7","b.test"\n', "Musgo&Cala7"),
    ("cut -c1-99 vault.csv", '"folder","user","passwd","uri"\n"x","tom","torfmoor-Hexe3","c.test"\n', "torfmoor-Hexe3"),
    ("iex", '| :id | :api_token |\n| 7 | "Qz7xT2mWk9LrVb4NcHs0" |\n', "Qz7xT2mWk9LrVb4NcHs0"),
    ("rails runner x", "| :name | :smtp_secret |\n| a | 'Hd83kLw0ZqXv5TnRb2Yc' |\n", "Hd83kLw0ZqXv5TnRb2Yc"),
    # a value below the type, the property or the call that holds it
    ("php a.php", 'array(1) {\n  ["db_pass":protected]=>\n  string(9) "Rio_Seco9"\n}', "Rio_Seco9"),
    ("php b.php", '  ["secret":"Shop\\Api":private]=>\n  string(18) "k3Vq9ZtL0xWm7RbN2c"\n', "k3Vq9ZtL0xWm7RbN2c"),
    ("cargo run", 'Smtp {\n    pass: Some(\n        "Vg7!kelder_Rt",\n    ),\n}', "Vg7!kelder_Rt"),
    ("swift run", '▿ token: Api.Token\n  ▿ box: Box\n    - value: "w8Kz3QxT0nLb7VmRc2"', "w8Kz3QxT0nLb7VmRc2"),
    ("irb", '#<Session\n  credential:\n   #<Credential\n    raw="p0Lx8Zt3WqVb6NmKr1">>', "p0Lx8Zt3WqVb6NmKr1"),
    ("cat mail.toml", 'imap.auth.raw = "Brezel.Ofen"\n', "Brezel.Ofen"),
    ("cat conf.toml", 'sender.login.value = "Otter&Bach7"\n', "Otter&Bach7"),
    # credentials that a call or a record is given
    ("cat net.cs", 'client.SetCredentials("mail", "Vent_d_Est");', "Vent_d_Est"),
    ("cat auth.py", 'requests.get(url, auth=HTTPBasicAuth("ana", "Sol_y_Mar"))', "Sol_y_Mar"),
    ("rspec a_spec.rb", 'get "/x", headers: basic("ops", "KaasMet_Brood")', "KaasMet_Brood"),
    ("cat gate.rb", 'secure_compare(given, "sernik-na-zimno-4")', "sernik-na-zimno-4"),
    ("cat gate.go", 'subtle.ConstantTimeCompare([]byte(got), []byte("Vk31tlaMq"))', "Vk31tlaMq"),
    ("cat ldap.php", "$l->bind('CN=web,OU=S,DC=a,DC=test', 'Kachna_na_Moste');", "Kachna_na_Moste"),
    ("cat settings.xml", "<server>\n  <username>a</username>\n  <password>rajma_chawal</password>\n</server>", "rajma_chawal"),
    ("wevtutil qe x", "  Process Command Line:  net use \\\\fs1\\d /user:C\\d k3%JmT=w8*Zb", "k3%JmT=w8*Zb"),
    ("scala-cli run", "Db(jdbc:h2:mem,sa,Secret(Nordic_Fjord_7),4)", "Nordic_Fjord_7"),
    ("stack run", "Settings (Password(Heron_Lake_88)) 3", "Heron_Lake_88"),
    # what is generated, and encoded into a file of a secret
    ("terraform show | tail -3", 'resource "random_password" "x" {\n}\n"Ld8QzK3vXm0TbWn5"\n', "Ld8QzK3vXm0TbWn5"),
    ("tofu console", 'random_password.cache.result\n"z9GhT4wQpLx2VbNk7sRm"\n', "z9GhT4wQpLx2VbNk7sRm"),
    ("cat seed.yml", "- path: /etc/app/db.secret\n  encoding: b64\n  content: VG9ydWdhIGRlbCBtYXI3\n", "VG9ydWdhIGRlbCBtYXI3"),
    ("cat init.yml", "- path: /etc/vpn.key\n  encoding: base64\n  content: SGVya3VsZXMgYm9vdCAy\n", "SGVya3VsZXMgYm9vdCAy"),
    # lines of routers, codes and logs of Wi-Fi
    ("ssh ap /export", "add name=guest wpa-pre-shared-key=boter-kaas-eieren", "boter-kaas-eieren"),
    ("uci export", "config wifi-iface\n\toption ssid 'Thuis'\n\toption key 'boter kaas eieren'\n", "boter kaas eieren"),
    ("ssh fw show run", " ikev2 local-authentication pre-shared-key Delta/Werk7\n", "Delta/Werk7"),
    ("vtysh", " ip ospf message-digest-key 3 md5 Kano7Vaart\n", "Kano7Vaart"),
    ("nmcli -s c show x", "802-11-wireless-security.psk:           groen-dal-brug\n", "groen-dal-brug"),
    ("ssh sw dis cur", " snmp-agent community read simple Vb4!kTz_8nWe mib-view V", "Vb4!kTz_8nWe"),
    ("gpg --passphrase-fd 3 -d a.gpg 3<<<'Faro.Norte/22' | wc -l", "9", "Faro.Norte/22"),
    ("cat bus.go", 'mech, err := scram.Mechanism(scram.SHA512, "svc-a", "gR5xOy9VbJ2mUa8PdW3kKr")', "gR5xOy9VbJ2mUa8PdW3kKr"),
    ("zbarimg a.png", "QR-Code:WIFI:S:Casa;T:WPA;P:limonero1492;H:true;;", "limonero1492"),
    ("qrencode -r x", r"WIFI:T:SAE;S:Huis;P:kaas\;en\;wijn;;", r"kaas\;en"),
    ("idf.py monitor", "I (4) wifi: join ssid=Huis password=groene_fietsbel\n", "groene_fietsbel"),
    ("esptool monitor", "[net] ssid: Casa, psk: nube_violeta\n", "nube_violeta"),
    (
        "netsh wlan show profile",
        "    Security key           : Present\n    Key Content            : 77aa31bd20f4c\n",
        "77aa31bd20f4c",
    ),
    ("python3 espota.py -i 10.0.0.4 -a kleine_eend -f a.bin", "ok", "kleine_eend"),
    # groups of four, and numbers that pair a device
    ("wp user x", "Success: Created application password.\nPassword: kQ3v Zt8L x0Wm 7RbN c2Hd Y5sP", "Zt8L x0Wm"),
    ("cat mail.md", "Google app password: xkqv zjtw mprl bhnd", "zjtw mprl"),
    ("flask run", " * Debugger PIN: 204-771-936\n", "204-771-936"),
    ("hap-server", "Setup code: 482-19-637\n", "482-19-637"),
    # addresses and files of hosts
    ("cat hooks.txt", "telegram://6620194837:k8xq2o5mXCX6JTYcPh95hWHIp2lH3VMV2a@telegram?chats=1", "6620194837:k8xq"),
    ("cat mail.html", "https://a.test/reset_password/Wk3q.h2hEcRBBQ0ZXN1.q5uxQWX42h5J73nWR57xtfl6", "q5uxQWX42h5J73"),
    ("cat mail.html", "https://a.test/set_password/k8Vw3QzLx0TmRb7NcY2d", "k8Vw3QzLx0TmRb7NcY2d"),
    ("cat fstab", "curlftpfs#nas:Tortue.Mer7@nas.test.fr/x /mnt fuse rw 0 0", "Tortue.Mer7"),
    ("cat fstab", "hubicfuse#ana:Loutre&Bois3@hubic.test.fr/x /mnt fuse rw 0 0", "Loutre&Bois3"),
    ("cat chap-secrets", '# client server secret IP\n"eva" vpn "Trois Petits Chats" 10.0.0.2\n', "Petits Chats"),
    ("cat pap-secrets", '# Secrets for PAP, as CHAP: client secret\nann * "Grote Blauwe Vis" *\n', "Blauwe Vis"),
    # configuration of databases, of Java and of Perl
    ("echo $DSN", "host=db.test dbname=a user=u password='Noix & Cannelle' sslmode=require", "Noix & Cannelle"),
    ("cat pool.ini", "w = hostaddr=10.0.0.3 password='Twee Witte Zwanen'\n", "Witte Zwanen"),
    ("cat jaas.conf", 'ScramLoginModule required\n  user_alice="Zaterdag_Ochtend";\n', "Zaterdag_Ochtend"),
    ("cat zk.conf", 'DigestLoginModule required user_super="Mar_Azul";', "Mar_Azul"),
    ("cat ldap.pl", "  bindpw => q{Mo_{Re}_no},\n", "Mo_{Re}_no"),
    ("cat db.rb", "  password: %q(Vela!Nueva8)\n", "Vela!Nueva8"),
    # what tests compare with nothing, and what is typed for somebody
    (
        "vendor/bin/phpunit",
        "1) MailTest::test_imap_password_is_set\n--- Expected\n+++ Actual\n-'Sel-de-Mer.Ouest'\n+''\n",
        "Sel-de-Mer.Ouest",
    ),
    (
        "gradle test",
        "VaultTest > keepsPassphrase FAILED\n  value of: vault.passphrase\n  expected: hazel-storm-island-friday\n  but was : null",
        "hazel-storm-island",
    ),
    (
        "ctest",
        'Expected equality of these values:\n  cfg.password\n    Which is: "Nogal_Viejo#4"\n  ""\n    Which is: ""\n',
        "Nogal_Viejo#4",
    ),
    (
        "rspec",
        '  1) Door::Pin\n  Failure/Error: expect(door.pin).not_to eq("480216")\n  expected: value != "480216"\n  got: "480216"\n',
        "480216",
    ),
    ("npx playwright test", "await page.getByLabel('Mot de passe').fill('Tarte-Citron8');", "Tarte-Citron8"),
    ("expect -d x", 'expect: does "Password: " match "Password:"? yes\nsend: sending "M0len-Dijk\\r" to { exp4 }', "M0len-Dijk"),
    ("journalctl", "chat[41]: expect (assword:)\nchat[41]: got it\nchat[41]: send (Roze_Wolk^M)\n", "Roze_Wolk"),
    # a code that is turned into a token, words in a table of a vault
    (
        "tail a.log",
        'POST /token {"grant_type":"authorization_code","code":"kX7RnqZ1GH3DU9iVw","client_id":"1"}',
        "kX7RnqZ1GH3DU9iVw",
    ),
    ("tail b.log", "{'code': 'q2Wz8RtY5uLp0MxN4b', 'grant_type': 'authorization_code'}", "q2Wz8RtY5uLp0MxN4b"),
    ("vault kv get a", "Key           Value\n---           -----\npassphrase    rain on the old pier 44\n", "on the old pier"),
    ("vault kv get b", "Key            Value\n---            -----\nseed_phrase    nacht in Gent bij mist 7\n", "Gent bij mist"),
]
KEPT = [
    ("cat form.ts", "  password: yup.string().required('Password is required').min(10, 'Use 10 characters'),\n"),
    ("cat a.graphql", "  resetPassword(token: ResetToken!, newPassword: NonEmptyString!): Boolean!\n"),
    ("cat vi.json", '{"password": "Mật khẩu"}\n'),
    ("cat a.xml", '<string name="prompt_pin">Introduce tu PIN de 8 letras</string>\n'),
    ("cat a.json", '{"Smtp": {"Password": "#{Smtp.Password}#"}}\n'),
    ("cat a.sql", 'ALTER TABLE a ADD COLUMN "api_key_hash" varchar(128) NOT NULL;\n'),
    ("tail a.log", "saved token_embedding=151936x2048\n"),
    ("rg -n TOKEN src", "src/a.ts:2:  const token = process.env.CRM_TOKEN!;\nsrc/b.ts:1: token: env.SMTP_PASS ?? ''\n"),
    ("cat sum.py", 'assert hmac.compare_digest(sig, expected, "sha256")\nhash_equals($a, $b)\n'),
    ("sops --decrypt a.yaml", "Failed to get the data key required to decrypt the SOPS file.\n\nGroup 0: FAILED\n"),
    (
        "net help use",
        "NET USE [devicename | *] [\\\\computername\\sharename [password | *]]\nnet use Z: \\\\srv\\share /persistent:yes\n",
    ),
    ("cat a.py", 'NAMES = ["username", "password", "email"]\nrow = "a","password","b"\n'),
    ("cat a.go", 'creds, err := LoadCredentials("profile", "Team_Name")\n'),
    ("cat a.ino", "WiFi.begin(ssid, password); // ssid=your-ssid, password=wifi_password\n"),
    ("ssh fw show run", " pre-shared-key address\n ip ospf authentication message-digest\n"),
    ("phpunit", "1) T::test_password_is_required\n--- Expected\n+++ Actual\n-'required'\n+''\n"),
    ("npx jest", 'test password policy\nExpected: "min-length"\nReceived: undefined\n'),
    ("cat a.yml", "- path: /etc/motd\n  encoding: b64\n  content: SGVya3VsZXMgYm9vdCAy\n"),
    ("app -h", "  passphrase     ask for the passphrase of the key\n"),
    ("cat a.md", "The app password: must have four char words\n"),
    ("cat a.swift", '▿ page: Page\n  - value: "w8Kz3QxT0nLb7VmRc2"'),
]


@pytest.mark.parametrize(("command", "text", "secret"), CUT, ids=[str(at) for at in range(len(CUT))])
def test_what_tools_show_of_a_secret_is_cut(command, text, secret):
    assert secret not in leaking.pasted(command, text)
    assert secret not in leaking.stored(command, text)


@pytest.mark.parametrize(("command", "text"), KEPT, ids=[str(at) for at in range(len(KEPT))])
def test_what_only_looks_so_stays(command, text):
    assert "[REDACTED:" not in leaking.stored(command, text) + leaking.pasted(command, text)
