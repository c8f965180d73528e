"""The number of this release, where a hook finds it without the face of the package."""

VERSION = "0.1.0"
