"""What somebody signs in with, where a call, a field that is typed into, a prompt or a debugger shows it."""

import pytest

from ralph_mem.core.redaction import context
from tests.core.redaction import leaking

TYPED = [
    ("cat a.feature", '    And I fill in "Passwort" with "Laubfrosch!gruen2"', "Laubfrosch!gruen2"),
    ("cat a.feature", '    When the clerk enters the PIN-protected password "Möwe.Sturm.4"', "Möwe.Sturm.4"),
    ("cat b.py", "child.expect('Password: ')\nchild.sendline('Sumpf_Dotter8')\n", "Sumpf_Dotter8"),
    ("cat c.py", 'tn.read_until(b"Password: ")\ntn.write(b"Sand!Dorn9\\n")\n', "Sand!Dorn9"),
    ("cat a.swift", 'app.secureTextFields.firstMatch.typeText("Regen&Schirm3")', "Regen&Schirm3"),
    ("cat a.cy.js", "cy.get('#user').type('ana');\ncy.get('[name=pwd]').type('Vela?Roja7{enter}');", "Vela?Roja7"),
    ("cat flow.yaml", '- tapOn:\n    id: "feld_passwort"\n- inputText: "Nebel_Horn4"\n', "Nebel_Horn4"),
    ("maestro test", " ✅  Tap on id: login_secret\n ✅  Input text gronnsaker77x\n", "gronnsaker77x"),
    ("xcodebuild test", "  t = 2.9s Type 'Brygge_Vind5' into \"Passord\" SecureTextField", "Brygge_Vind5"),
    ("gradle test", "    type    #mail      ana\n    type    #pass      Tortuga_Verde3\n", "Tortuga_Verde3"),
    ("cat a.py", 'driver.find_element(By.ID, "password").send_keys("Kamin+Ofen12")', "Kamin+Ofen12"),
    ("robot a.robot", "Keyword 'Log In With    ana    Bergsee!Licht' failed", "Bergsee!Licht"),
    ("cat up.sh", 'expect \\"word:\\"; send \\"Krokus_0612\\r\\"', "Krokus_0612"),
]
CALLED = [
    ("cat a.kt", 'val admin = Account("ana@x.test", "Nube&higo7")', "Nube&higo7"),
    ("python3", '>>> h.open("installer", "Fl0ck-the-Sheep")\n', "Fl0ck-the-Sheep"),
    ("cat a.py", 'g = Gateway(auth=os.environ.get("GW_AUTH", "Pampelmuse_saft"))', "Pampelmuse_saft"),
    ("cat a.json", '{"name": "olt", "auth": ["isp", "Kabelbaum7rot"]}', "Kabelbaum7rot"),
    ("cat a.rb", 'expect(gateway.unlock("onkel Gerd singt")).to be(true)', "onkel Gerd singt"),
    ("cat a.cs", 'public string MailCred { get; init; } = "Zirkel2Meter";', "Zirkel2Meter"),
    ("gradle test", "no answer found for Repo(#4).signIn(ana.b, Gewitter!1972, continuation {})", "Gewitter!1972"),
]
SHOWN = [
    (
        "gdb a",
        '#1 0x00403a1f in auth_chap (s=0x1c3f2a0, who=0x1c40110 "dsl-1", resp=0x1c40140 "perrito-verde-31") at a.c:2',
        "perrito-verde-31",
    ),
    (
        "lldb -p 1",
        '(NSString *) user = 0x0000600000c51b30 @"kiosk"\n(NSString *) phrase = 0x0000600000c51bc0 @"six soggy waffles"',
        "six soggy waffles",
    ),
    ("python3", ">>> f.host, f.login, f.passphrase\n('edi.test', 'ledger', 'zelena_zaba_pod_mostem')\n", "zelena_zaba"),
    ("app setup", "? Passphrase: (input is shown) fjord lykt onsdag\n", "lykt onsdag"),
    (
        "wandb login",
        "wandb: Paste an API key from your profile and hit enter: 9cbba36dd8c2a0bd11ade99aec6e44553b933e71",
        "9cbba36dd8c2a0",
    ),
    ("bluetoothctl", "[agent] Enter passkey (number in 0-999999): 480917", "480917"),
    ("journalctl", 'app[1]: opening keystore /etc/a.jks using "Himmel-Hund7"', "Himmel-Hund7"),
    ("tail kettle.log", "Set variables - Set variable ERP_PASS to value [Kupfer!dach3]", "Kupfer!dach3"),
    ("cmake -P t", "test_stores_psk:FAIL: Expected 'nebel-sieben-zwo' Was 'nebel-sieben-zw'", "nebel-sieben-zwo"),
]
SENT = [
    ("redis-cli monitor", '1.2 [0 10.0.0.1:5] "HELLO" "3" "AUTH" "maker" "geese-on-a-pond"', "geese-on-a-pond"),
    ("openssl s_client", 'a1 LOGIN ana@x.test "viva bologna 09"\na1 NO failed', "viva bologna 09"),
    (
        "strace smtp",
        'write(7, "AUTH LOGIN\\r\\n")\nw(7, "YW5hQHgudGVzdA==\\r\\n")\nw(7, "VG9ydWdhLTg4LVNvbA==\\r\\n")',
        "VG9ydWdhLTg4LVNvbA",
    ),
    ("minicom", 'AT+CPIN="7193"\nOK\n', "7193"),
    ("minicom", 'AT+CPWD="SC","47115","4711"', "4711"),
    ("cat log", "İİİİ signIn(ana, Nube!22)", "Nube!22"),
    ("irssi", "09:12 >NickServ< IDENTIFY ana_k Krabben_rot", "Krabben_rot"),
    ("curl -v x", "auth header = Basic YW5hOmtvbmlnLWxvZXdl", "YW5hOmtvbmlnLWxvZXdl"),
    ("tail a.log", 'invoke login args={"host":"dav.test","u":"frauke","p":"Muschel+Watt"}', "Muschel+Watt"),
    ("cat a.yml", '  - {n: qlik, p: "Essiggurke88"}\n', "Essiggurke88"),
]
LATER = (
    "Bergsee!Licht",
    "Fl0ck-the-Sheep",
    "Gewitter!1972",
    "lykt onsdag",
    "Sumpf_Dotter8",
    "Himmel-Hund7",
    "Trommel&Wirbel",
    "Stapelkran4x4",
)  # no sign in `gate`
NAMED = [
    ("cat a.ini", "[mail]\nuser = ana\npsw = Feuer&Stein6\n", "Feuer&Stein6"),
    ("env", "RELAY_UNLOCK=Trommel&Wirbel\n", "Trommel&Wirbel"),
    ("cat a.h", '#define BENCH_PHRASE "vier-nasse-igel"\n', "vier-nasse-igel"),
    ("cat a.conf", "client_phrase=Knödel mit Soße\n", "mit Soße"),
    ("cat b.yml", "snmp_community: hornR3ad\n", "hornR3ad"),
    ("nvs dump", "sta.pswd = Stapelkran4x4\n", "Stapelkran4x4"),
    ("cat c.json", '{"login": "r7", "secretAnswer": "o gato Tareco"}', "o gato Tareco"),
    ("manage-bde", "RecoveryPassword    : 418253-070917-662838-115060-391204-583176-204732-649055", "418253-070917"),
    ("cat a.nsi", "nsExec::ExecToLog '7z x -pRechnungsKopie -y a.7z'", "RechnungsKopie"),
]
CUT = [each for each in [*TYPED, *CALLED, *SHOWN, *SENT, *NAMED] if each[2] not in LATER]
KEPT = [
    ("cat a.js", "cy.get('#password').type('secret');\npage.fill('#password', process.env.PW);\n"),
    ("bw list", "Vault is locked. Run `bw unlock` and enter your master password."),
    ("cat b.js", "await page.type('#search', 'Himmel-Hund7');\n"),
    ("cat a.md", "The password field drops the last character when you type fast on a Pixel 6a."),
    ("cat a.py", 'open("report", "wb")\nuser = User("ana", "Anna Berg")\nunlock("door")\n'),
    ("cat c.py", 'phrase = "merry little christmas"\nsearch_phrase = "red apple"\nunlock: true\n'),
    ("gdb a", '#0 parse (path=0x1c3f2a0 "Conf-File7", n=3) at a.c:2'),
    ("installer", "? Enter the name of the site: Berghof-Sued7\n? Choose a password policy: strict\n"),
    ("tail a.log", "LOGIN FAILED Attempt_7\nAUTH LOGIN PLAIN\nlogin with 'GitHub'\n"),
    ("cat a.json", '{"s": 0.31, "p": 0.05, "n": 40}\n{"n": "t-test", "p": "two-sided"}\n'),
    ("minicom", "AT+CGDCONT=1\nAT+CPIN?\n+CPIN: READY\n"),
]


@pytest.mark.parametrize(("command", "text", "secret"), CUT, ids=[str(at) for at in range(len(CUT))])
def test_what_somebody_signs_in_with_is_cut(command, text, secret):
    assert secret not in leaking.pasted(command, text)
    assert secret not in leaking.stored(command, text)


@pytest.mark.parametrize("secret", LATER)
def test_what_shows_no_sign_of_a_secret_is_cut_at_the_longer_look(secret):
    text = next(text for _, text, said in [*TYPED, *CALLED, *SHOWN, *SENT, *NAMED] if said == secret)
    assert secret not in context.redact_whole(text)[0]


@pytest.mark.parametrize(("command", "text"), KEPT, ids=[str(at) for at in range(len(KEPT))])
def test_what_lets_nobody_in_stays(command, text):
    assert "[REDACTED:" not in context.redact_whole(leaking.pasted(command, text))[0] + leaking.stored(command, text)
