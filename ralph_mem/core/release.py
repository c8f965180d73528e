"""Which release this is; a hook does without the face of the package."""

VERSION = "0.1.0"
