"""The verbs for a memory as a whole, its switch, its settings and what lies outside of our folders."""

import posix

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.interfaces import verbs
from ralph_mem.memory import access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked
    from ralph_mem.interfaces.skills.typed_words import Typed

SESSION = "session"
NEWER = "/mem {} needs Python 3.10 or newer, and the hooks run under {}.{}"
IN_A_TERMINAL = {"doctor": "`ralph-mem doctor`", "import": "`ralph-mem import`", "page": "`ralph-mem page`"}
ERRAND_S = 570  # the client waits 600 for us
MOST_CHARACTERS = 9_000


def status(asked: "Asked") -> str:
    """Return the status of the project's memory in lines."""
    from ralph_mem.maintenance import status as of_memory  # lazy: only this one counts

    if asked.text.strip():
        _typed(asked, "status")  # which refuses options; words do not matter
    return "\n".join(of_memory.lines(of_memory.of(asked.project, asked.settings, asked.now, asked.session)))


def pause(asked: "Asked") -> str:
    """Stop recording and telling in this project, or with the word `session` in this session alone."""
    word = asked.text.strip()
    if word not in ("", SESSION):
        raise RalphMemError(f"/mem pause takes no words such as {word[:40]}", f"/mem pause, or /mem pause {SESSION}")
    if word == SESSION:
        return _session_paused(asked)
    access.pause(asked.project)
    return f"Paused: nothing is recorded or told in {asked.project.root} until /mem resume."


def _session_paused(asked: "Asked") -> str:
    from ralph_mem.ralph import runs  # lazy: only for a session that is paused

    live = runs.live(asked.project)
    if live and live.owner == asked.session:
        raise RalphMemError(f"a loop is at work in this session ({live.run})", "/ralph stop ends it")
    access.pause_session(asked.session)
    return "Paused: nothing of this session is recorded, and nothing told in it, until it ends or /mem resume."


def resume(asked: "Asked") -> str:
    """Record and tell again in this project, and in this session where that was paused."""
    if asked.text.strip() != SESSION:  # it resumes that as well
        _refuse_words(asked, "resume", "/mem resume records again in this project and session")
    was_paused = access.resume_session(asked.session)
    try:
        posix.unlink(f"{asked.project.folder}/{paths.OFF}")
        was_paused = True
    except FileNotFoundError:
        pass
    except OSError as error:
        raise RalphMemError(f"cannot go on: {error.strerror}", f"remove {asked.project.folder}/{paths.OFF}") from error
    if effective.recording(asked.project, asked.settings):
        return f"Recording in {asked.project.root}."
    from ralph_mem.maintenance import status as of_memory  # lazy: only where something else keeps it off

    return of_memory.still_off(was_paused, of_memory.off_by(asked.project, asked.settings))


def config(asked: "Asked") -> str:
    """Show the settings, one of them, or change one as far as it loosens nothing."""
    from ralph_mem.interfaces.skills import settings  # lazy: only for settings

    return "\n".join(settings.answer(asked, asked.text, "memory", "/mem config"))


def trust(asked: "Asked") -> str:
    """Show what waits for an approval, or with `--confirm` and its digits approve it."""
    from ralph_mem.maintenance import approve  # lazy: only for what came with a project

    typed = _refuse_words(asked, "trust", "/mem trust shows all that waits; --confirm DIGITS approves what was shown")
    options = typed.options if typed else {}
    digits = options.get("--confirm", "")
    if digits and "--memory" in options:
        return approve.taken(asked.project, approve.take(asked.project, digits)[1])
    if digits:
        return "\n".join([*approve.shown(approve.approve(asked.project, digits)), "Approved, as long as nothing of it changes."])
    found = approve.matters(asked.project)
    aside = approve.shown_aside(approve.aside(asked.project), "/mem trust")
    if not found:
        return "\n".join([f"Nothing waits for your approval in {asked.project.root}.", *aside])
    shown = approve.digest(asked.project, found)[: approve.LEAST_DIGITS]
    return "\n".join([*approve.shown(found), f"To approve exactly this: /mem trust --confirm {shown}", *aside])


def import_(asked: "Asked") -> str:
    """Remember what earlier sessions of this project did."""
    typed = _refuse_words(asked, "import", "of another project: `ralph-mem import PATH`")
    since = typed.moment("--since", asked.now) if typed else 0
    return _errand(asked, "import", "--dry-run" if typed and "--dry-run" in typed.options else "", str(since))


def doctor(asked: "Asked") -> str:
    """Check everything that has to be right for memory to work."""
    if asked.text.strip():
        raise RalphMemError("/mem doctor takes no words", "`ralph-mem doctor --repair` repairs")
    return _errand(asked, "doctor")


def page(asked: "Asked") -> str:
    """Show the memory in a browser, by a process that goes on by itself; or end it."""
    typed = _refuse_words(asked, "page", "a view has its address in the browser")
    from ralph_mem.core import background  # lazy: only for what stays

    what = "stop" if typed and "--stop" in typed.options else "detached"
    return _said_by(asked, "page", "/page", what, environment=background.for_a_browser())


def setup(asked: "Asked") -> str:
    """Show what lies outside of our folders or could; with a word do it, with `--off` undo it."""
    from ralph_mem.maintenance import outside  # lazy: only for what lies outside

    typed = _typed(asked, "setup")
    if not typed.words and not typed.options:
        return "\n".join(outside.lines("/mem "))
    if len(typed.words) > 1:
        raise RalphMemError("/mem setup does one thing at a time", "for example: /mem setup status-line")
    word = "".join(typed.words)
    if "--off" in typed.options:
        return outside.take_away(word)
    return outside.add(word, "/mem ", wrap="--wrap" in typed.options)


def _refuse_words(asked: "Asked", verb: str, hint: str) -> "Typed | None":
    """Return the options behind a verb that takes no words. Raises RalphMemError where it has some."""
    if not asked.text.strip():
        return None
    typed = _typed(asked, verb)
    if typed.words:
        raise RalphMemError(f"/mem {verb} takes no words such as {typed.words[0][:40]}", hint)
    return typed


def _typed(asked: "Asked", verb: str) -> "Typed":
    from ralph_mem.interfaces.skills.typed_words import Typed  # lazy: a status takes no words

    return Typed(asked.text, verbs.OF[verb].valued(), verbs.OF[verb].flags())


def _errand(asked: "Asked", *words: str) -> str:
    """Have the errand do what needs a newer Python, or packages that may be there; returns what it says."""
    return _said_by(asked, words[0], "/errand.py", *words)


def _said_by(asked: "Asked", verb: str, program: str, *words: str, environment: "dict[bytes, bytes] | None" = None) -> str:
    """Have a program of ours carry out a verb; returns what it says."""
    import subprocess  # lazy: only for what another process does
    import sys  # lazy: as above

    if sys.version_info < (3, 10):
        raise RalphMemError(NEWER.format(verb, *sys.version_info[:2]), f"a terminal may have one: {IN_A_TERMINAL[verb]}")
    program = __file__.rpartition("/skills/")[0] + program
    order = [sys.executable, "-I", "-X", "utf8", program, asked.project.root, *words]
    try:
        ran = subprocess.run(
            order, capture_output=True, timeout=ERRAND_S, stdin=subprocess.DEVNULL, check=False, env=environment
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RalphMemError(f"/mem {verb} did not come to an end: {error}", f"in a terminal: {IN_A_TERMINAL[verb]}") from error
    text = ran.stdout.decode("utf-8", "replace").strip()
    if ran.returncode or not text:
        said = [*ran.stderr.decode("utf-8", "replace").strip().splitlines(), "it said nothing"]
        raise RalphMemError(f"/mem {verb} failed: {text or said[-1][:300]}", f"in a terminal: {IN_A_TERMINAL[verb]}")
    return text[:MOST_CHARACTERS]
