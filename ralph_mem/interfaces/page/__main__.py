"""Start, stop or write the page, such as `python ralph_mem/interfaces/page FOLDER serve`."""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import find
from ralph_mem.interfaces.page import handover
from ralph_mem.memory import extras

NEEDED = ("starlette", "jinja2", "uvicorn")
STARTED = "The page opens in your browser; it ends after 15 idle minutes, or by `ralph-mem page --stop`."


def main(words: list[str]) -> int:
    """Do what the words say; leaves with 1 and a line where that cannot be."""
    os.umask(0o077)
    given = _parsed(words)
    try:
        return _done(given)
    except RalphMemError as error:
        if given.what == "detached":  # in a session one line is shown, and it is this
            print(f"{error} ({error.hint})" if error.hint else error)
            return 1
        print(f"ralph-mem: {error}" + (f"\n  hint: {error.hint}" if error.hint else ""), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="page", description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("what", choices=("serve", "detached", "stop", "to"))
    parser.add_argument("target", nargs="?", default="")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-open", action="store_true")
    parser.add_argument("--again", action="store_true", help="this is the interpreter that had the packages")
    return parser.parse_args(words)


def _done(given: argparse.Namespace) -> int:
    if given.what == "stop":
        stopped = handover.stop(handover.Log())
        print(f"Stopped: {stopped}." if stopped else "No page is at work.")
        return 0
    missing = extras.missing(NEEDED)
    if missing:
        _hand_over(given)
        raise extras.MissingExtra(f"the page needs {', '.join(missing)}", extras.installation("page", sys.executable))
    place = find(given.folder)
    if given.what == "to":
        from ralph_mem.interfaces.page import site  # lazy: only where its packages are

        print(site.write(place, given.target))
        return 0
    from ralph_mem.interfaces.page import serving  # lazy: only where its packages are

    serving.serve(place, given.port, opens=not given.no_open, detached=given.what == "detached")
    if given.what == "detached":
        print(STARTED, flush=True)
    return 0


def _hand_over(given: argparse.Namespace) -> None:
    """Go on in the interpreter by which a terminal served a page, where the one of the hooks has no packages."""
    able = handover.Log().interpreter() if given.what == "detached" and not given.again else ""
    if able:
        os.execv(able, [able, "-I", "-X", "utf8", *sys.argv, "--again"])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
