"""Recognise the codes of errors that speak of a secret."""

# Of what codes of errors speak, and what they say of it.
TOPICS = " AUTH PW PWD PASS PASSWD PASSWORD PIN OTP TOKEN JWT LOGIN KEY SECRET CRED CREDENTIAL CREDENTIALS "
STATES = (
    " EXP EXPIRED EXPIRY WEAK INV INVALID MISSING LOCKED LOCKOUT DENIED FAIL FAILED FAILURE REUSE REUSED WRONG REQUIRED MISMATCH"
    " SHORT LONG BAD UNKNOWN REVOKED BLOCKED LIMIT TIMEOUT FORBIDDEN MALFORMED "
)


def is_code_of_error(value: str) -> bool:
    """Say whether words in capitals speak of what is wrong with a secret: `AUTH_PW_EXPIRED_0417`, `AUTH-4230`."""
    words = value.replace("-", "_").split("_")
    is_numbered = all([word.isalpha() for word in words[:-1]]) and (words[-1].isalpha() or len(words[-1]) < 6)
    if len(words) == 2:
        return is_numbered and words[0] in ("AUTH", "ERR") and words[1].isdigit()
    return len(words) > 2 and is_numbered and all([any([f" {word} " in known for word in words]) for known in (TOPICS, STATES)])
