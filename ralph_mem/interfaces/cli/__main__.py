"""Start the command line, so that Ctrl-C ends it quietly from its first moment on."""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # an import that is interrupted would print a traceback

from ralph_mem.core import background  # noqa: E402
from ralph_mem.interfaces.cli import app  # noqa: E402


def main() -> None:
    """Run the command line."""
    background.restart_in_utf8()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    app.main()


if __name__ == "__main__":
    main()
