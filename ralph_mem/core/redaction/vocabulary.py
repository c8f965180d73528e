"""The words by which people and programs name a secret, in some thirty languages, in lower case."""

# What names a password; a longer word may end with it.
PASSWORDS = (
    "password", "passwd", "passphrase", "passcode", "passwort", "passord", "passwrd", "passkey", "authtok", "pwd", "kennwort", "losungswort", "losung",
    "wachtwoord", "contraseña", "contrasena", "contrasenya", "senha", "motdepasse", "parola", "parole", "lösenord", "losenord",
    "kodeord", "adgangskode", "zugangscode", "zugriffscode", "parolad'ordine", "paroladordine", "salasana", "lykilorð", "hasło", "haslo", "heslo", "jelszó", "jelszo", "geslo", "lozinka", "şifre",
    "sifre", "parool", "slaptažodis", "passfrase", "codigodeacceso", "пароль", "парол", "лозинка", "κωδικός", "סיסמה", "סיסמא",
    "パスワード", "暗証番号", "密码", "密碼", "口令", "비밀번호", "암호", "รหัสผ่าน", "mật khẩu", "matkhau", "kata sandi", "katasandi",
)  # fmt: skip
# What names another secret.
SECRETS = (
    "secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "keymaterial", "credential", "geheimnis", "jeton", "secreto",
    "segredo", "segreto", "hemlighet", "zugangsschlüssel", "zugangsschluessel", "schlüsselinhalt", "トークン", "シークレット",
    "令牌", "密钥", "密鑰", "токен", "секрет",
)  # fmt: skip
# Of these a line may speak without one, so that digits in hex beside them are something else.
WEAK = frozenset(("login", "auth", "anmeldung", "zugang", "token", "unlock", " pin", "pin ", "otp"))
CODES = frozenset(("pin", "puk", "passcode", "kodeord", "einmalcode", "pin-code", "zugangscode", "pincode"))
# A line with one of these speaks of a secret; pieces of words, so that one stands for many.
SPOKEN = tuple(dict.fromkeys(
    ("passw", "passp", "passc", "passor", "passk", "pwd", "secret", "token", "credential", "api key", "api_key", "apikey", "login",
     "auth", "unlock", "clave", "clé ", "schlüssel", "schluessel", "sleutel", " pin", "pin ", "otp", "mot de passe", "d'ordine",
     "licence key", "license key", "psk", " priv ", "shared-key", "shared key", "-secret", "kode", "unseal", "http-basic", "private key", "wpa", "appkey", "access key", "access-key", "access_key", "anmeldung", "zugang")
    + PASSWORDS + SECRETS
))  # fmt: skip
