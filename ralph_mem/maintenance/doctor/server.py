"""Start the MCP server as a client does, and look whether it answers."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core import fast
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.process import ANSWER_S
from ralph_mem.core.project import Project
from ralph_mem.maintenance.doctor.recording import settings_of
from ralph_mem.memory.extras import LIES_IN

CHECK = "mcp server"
# What a client says first; it opens no memory.
BEGINS = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "ralph-mem doctor", "version": "1"}},
}  # fmt: skip


def server(project: Project) -> Iterator[Finding]:
    """Look whether the server is declared, is let offer anything here, and answers."""
    run, declared = Path(LIES_IN, "hooks", "run"), Path(LIES_IN, ".mcp.json")
    if not settings_of(project)["mcp"]:
        yield ok(CHECK, "switched off by `mcp: off`: it offers nothing here")
    elif not run.is_file():
        yield ok(CHECK, "not looked at: this command lies apart from the plugin")
    elif not declared.is_file():
        yield warning(CHECK, f"{declared} is gone, so no client starts it", "install the plugin anew")
    else:
        told = _answer(run, project)
        how = f"see what it says: {run} mcp </dev/null"
        yield ok(CHECK, f"answers in the protocol of {told}") if told else problem(CHECK, f"{run} mcp does not answer", how)


def _answer(run: Path, project: Project) -> str:
    """Return the version of the protocol that the server agrees on, nothing where it does not answer in time."""
    try:
        ran = subprocess.run(
            [run, "mcp"], input=fast.dumps(BEGINS) + "\n", capture_output=True, text=True, errors="replace", check=False,
            timeout=ANSWER_S, cwd=project.root,
        )  # fmt: skip
        return str(fast.loads(ran.stdout)["result"]["protocolVersion"])
    except (OSError, ValueError, LookupError, TypeError, subprocess.TimeoutExpired):
        return ""
