"""Does for a session what needs a newer Python than its hooks, such as `errand.py FOLDER doctor`."""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from ralph_mem.core import project
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.redaction import terminal
from ralph_mem.hosts.claude_code import archive
from ralph_mem.maintenance import doctor
from ralph_mem.maintenance.transfer import import_transcripts


def main(root: str, what: str, *words: str) -> int:
    """Print what it found or did, in lines; leaves with 1 where something was wrong, and says what."""
    os.umask(0o077)
    place = project.find(root)
    try:
        lines = _examined(place) if what == "doctor" else _imported(place, *words)
    except RalphMemError as error:
        print(f"{error} ({error.hint})" if error.hint else error)
        return 1
    print("\n".join([terminal.plain(line) for line in lines]))
    return 0


def _examined(place: project.Project) -> list[str]:
    return doctor.lines(doctor.examine(place, in_session=True))


def _imported(place: project.Project, dry: str, since: str) -> list[str]:
    kept, passed = archive.look(archive.all_kept())
    by_project, others = archive.sort(kept, place, int(since))
    began = time.monotonic()
    report = import_transcripts.run(by_project, import_transcripts.Report(passed + others), dry=bool(dry))
    return [*import_transcripts.lines(report, bool(dry)), f"{time.monotonic() - began:.1f} s"]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
