"""Programs that the doctor asks: started without input, with a limit of time, never failing the examination."""

import os
import subprocess

# An interpreter or a client that says nothing for so long will not say it to a hook either.
PATIENCE_SECONDS = 10


def printed_by(order: list[str], **variables: str) -> str:
    """Return what a program prints, nothing where it does not start or does not end in time."""
    try:
        run = subprocess.run(
            order,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=PATIENCE_SECONDS,
            env={**os.environ, **variables},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout
