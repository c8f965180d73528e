"""The editor: a text goes out into a file that only its owner can read, and comes back as the person left it."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from ralph_mem.core.errors import RalphMemError


def edited(text: str) -> str:
    """Open a text in $VISUAL or $EDITOR and return what became of it. Raises RalphMemError where that does not start."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="ralph-mem-") as folder:
        file = Path(folder, "memory.txt")  # the folder is 0700, so nobody else gets to the file
        file.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*shlex.split(named), str(file)], check=True)
            return file.read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            what = f"the editor {named[:40]} failed: {error}"
            raise RalphMemError(what, "set EDITOR, or give the new text behind the id") from error
