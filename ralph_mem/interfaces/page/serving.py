"""Serve the page on this machine alone until nobody asks for anything any more."""

import asyncio
import os
import posix
import signal
import socket
import sys
import threading
import webbrowser
from typing import Any

import uvicorn

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.interfaces.page import handover, routes, security

IDLE_S = 15 * 60.0
LEAST_S = 0.1  # between two looks at the clock
MOST_AT_ONCE = 32
GOODBYE_S = 2
SCHEME = "file"


def serve(started_in: Project, port: int = 0, opens: bool = True, detached: bool = False, idle_s: float = IDLE_S) -> None:
    """Serve until nobody asked for 15 minutes, or a signal comes; detached in a process of its own. Raises RalphMemError."""
    log = handover.Log()
    listener = _listening(port)
    keys = security.Keys(listener.getsockname()[1])
    if detached and os.fork():
        listener.close()
        return
    if detached:
        _leave()
    # uvicorn says it again when it has ended: to be stopped is no failure. A shell lets what runs behind it ignore Ctrl-C
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    log.hold()
    handed = handover.Handed(keys.way_in, security.TOKEN_S)
    keys.on_open = handed.used
    if not detached:
        print(f"Open this file in your browser within a minute: {handed.path}" if not opens else "The page opens in your browser.")
        print(f"It ends after {int(idle_s // 60)} idle minutes, with Ctrl-C, or by `ralph-mem page --stop`.", flush=True)
    server = uvicorn.Server(_config(routes.Page(started_in, keys, log.note).app()))
    if opens:
        threading.Thread(target=_open, args=(handed.path,), daemon=True).start()
    try:
        asyncio.run(_until_idle(server, listener, keys, idle_s))
    finally:
        handed.used()


def _listening(port: int) -> socket.socket:
    """Return a socket that only this machine reaches. Raises RalphMemError where the port is taken."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((security.HOST, port))
        found.listen(MOST_AT_ONCE)  # now, or a browser that is quicker than we would be refused
    except OSError as error:
        found.close()
        raise RalphMemError(
            f"port {port} cannot be used: {error.strerror}", "leave out --port, and a free one is chosen"
        ) from error
    return found


def _leave() -> None:
    """Belong to no terminal and hold nothing of whoever started us."""
    os.setsid()
    os.chdir("/")
    nowhere = posix.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)


def _config(app: Any) -> uvicorn.Config:
    """Return how uvicorn serves: no log, no names of ours, no header that says who asks, nothing but plain HTTP."""
    return uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", server_header=False, proxy_headers=False, http="h11", ws="none",
        loop="asyncio", limit_concurrency=MOST_AT_ONCE, timeout_graceful_shutdown=GOODBYE_S,
    )  # fmt: skip


async def _until_idle(server: uvicorn.Server, listener: socket.socket, keys: security.Keys, idle_s: float) -> None:
    loop = asyncio.get_running_loop()

    def look() -> None:
        left = keys.used + idle_s - keys.clock()
        server.should_exit = server.should_exit or left <= 0
        loop.call_later(max(left, LEAST_S), look)

    look()
    await server.serve(sockets=[listener])


def _open(path: str) -> None:
    """Open the file in the browser that the person uses; where there is none, the file is named."""
    try:
        is_open = webbrowser.open(f"{SCHEME}://{path}")
    except webbrowser.Error:
        is_open = False
    if not is_open:
        print(f"No browser was found. Open this file in one within a minute: {path}", file=sys.stderr, flush=True)
