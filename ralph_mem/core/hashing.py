"""SHA-256 of a text, alone or under a key, without `hashlib`, which would bring OpenSSL along."""

import sys

try:  # each release has one of them, and to look for the other in vain costs more than all the rest
    sha256 = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
except ImportError:  # an interpreter without the C module
    from hashlib import sha256

BLOCK = 64  # bytes that SHA-256 takes at a time, by which HMAC is defined
INNER, OUTER = 0x36, 0x5C


def of(*parts: str) -> str:
    """Return the hash of some texts, in which their borders count."""
    texts = [part.encode("utf-8", "surrogateescape") for part in parts]
    return str(sha256(b"".join([b"%d:%s," % (len(text), text) for text in texts])).hexdigest())


def keyed(key: bytes, text: str) -> str:
    """Return the HMAC of a text under a key of at most one block: nobody without the key can make it."""
    padded = key.ljust(BLOCK, b"\0")
    inner = sha256(bytes([byte ^ INNER for byte in padded]) + text.encode("utf-8", "surrogateescape")).digest()
    return str(sha256(bytes([byte ^ OUTER for byte in padded]) + inner).hexdigest())
