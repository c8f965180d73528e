"""Tell which addresses may hold a secret; loaded only for a text with an address."""

# What an address that opens something has before what is secret in it.
OPENERS = (
    "/reset", "/verify", "/confirm", "/invit", "/magic", "/activat", "/unlock", "/join/", "code=", "/token/", "/recover",
    "/bot", "/accept", "/signup/", "/set-password/", "/login-link/",
    "/auth/", "/s/", "/t/", ";auth=", "appid=", "apikey=", "appkey=",
)  # fmt: skip
ENDS = " \n\"'"  # and where the next begins


def may_open(text: str) -> bool:
    """Say whether an address in a text may open something by itself, by a password or a word that says so."""
    at = text.find("://")
    while at >= 0:
        url = text[at + 3 : at + 515].partition("://")[0]
        for end in ENDS:
            url = url.partition(end)[0]
        userinfo, sign, _ = url.rpartition("@")
        # a name alone is a token where it is long
        telling = ":" in userinfo or ("/" not in userinfo and len(userinfo) >= 10)
        if (sign and telling) or "hook" in url or "sig=" in url or text.startswith("otpauth", at - 7):
            return True
        if any([word in url for word in OPENERS]):
            return True
        at = text.find("://", at + 3)
    return False
