"""A Messages API on loopback that says what a test told it to say, and remembers what it was asked.

A script is a dictionary:

    turns    replies to main-loop requests, in order; "Done." when they run out
    rules    [{"first_user" | "last_user" | "anywhere": text, "turns": [...]}]: asked before the turns;
             a rule holds when every text it names is found, and steps aside once its turns are used up
    compact  the reply to a request for a summary of the conversation
    side     the reply to a request that offers no tools (titles and the like)

A reply is made by `say` or `call`; both take `usage`, `delay_s`, `until` (an event) and `error` besides.
"""

import contextlib
import json
import threading
import uuid
from collections import namedtuple
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The client's order to compact (2.1.329) names the two blocks that it wants back.
ASKS_FOR_A_SUMMARY = "<analysis> block followed by a <summary> block"

SCRIPT_KEYS = {"turns", "rules", "compact", "side"}
RULE_KEYS = {"first_user", "last_user", "anywhere", "turns"}
REPLY_KEYS = {"blocks", "usage", "delay_s", "until", "error"}

SMALL_USAGE = {"input_tokens": 90, "output_tokens": 12, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}

# What a block carries for the protocol and not for the reader.
NOT_PROSE = {"type", "id", "tool_use_id", "cache_control", "signature", "role", "media_type"}

Request = namedtuple("Request", "method path kind body")


def say(text, **more):
    """Reply with words: the agent's last message, unless `call` follows in the same list of turns."""
    return {"blocks": [{"type": "text", "text": text}], **more}


def call(*tools, **more):
    """Reply with tool calls, each a pair of name and input; several run as one batch."""
    return {"blocks": [{"type": "tool_use", "name": name, "input": given} for name, given in tools], **more}


def refuse(status, kind, message):
    """Reply with an API error."""
    return {"error": {"status": status, "type": kind, "message": message}}


def text_of(request):
    """Return everything the model could read in a request: system prompt, every message, every tool result."""
    return "\n".join(_prose([request.body.get("system"), request.body.get("messages")]))


def user_texts(body):
    """Return the text of each message of the user's side, tool results included."""
    return ["\n".join(_prose(message["content"])) for message in body.get("messages", []) if message["role"] == "user"]


def _prose(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _prose(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in NOT_PROSE:
                yield from _prose(item)


class MessagesApi:
    """The server, as a context manager; `play` gives it a new script and a clean record."""

    def __init__(self, script=None):
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self.everything = []
        self.play(script or {})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _door(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._closing.set()
        self._server.shutdown()
        self._thread.join(timeout=5)
        self._server.server_close()

    def play(self, script):
        """Start a new script; what was asked under the old one stays in `everything` only."""
        _check(script)
        with self._lock:
            self._script = {key: list(value) if key == "turns" else value for key, value in script.items()}
            self._script["rules"] = [{**rule, "turns": list(rule["turns"])} for rule in script.get("rules", [])]
            self._since = len(self.everything)

    def requests(self, kind=None):
        """Return the requests since the last `play`, all or those of a kind: main, compact, side, stray."""
        with self._lock:
            return [r for r in self.everything[self._since :] if kind in (None, r.kind)]

    def heard(self, kind="main"):
        """Return what the model could read in the first request of a kind, or "" when there was none."""
        return "".join(text_of(request) for request in self.requests(kind)[:1])

    def endpoints(self):
        """Return the distinct method and path of every request ever made."""
        with self._lock:
            return {f"{request.method} {request.path}" for request in self.everything}

    text_of = staticmethod(text_of)

    def _answer(self, method, path, body):
        """Record a request and choose the reply to it, None for a door that is not there."""
        kind = _kind(method, path, body)
        with self._lock:
            self.everything.append(Request(method, path, kind, body))
            return None if kind == "stray" else self._next_reply(kind, body)

    def _next_reply(self, kind, body):
        for rule in self._script["rules"]:
            if rule["turns"] and _holds(rule, body):
                return rule["turns"].pop(0)
        if kind == "compact":
            return self._script.get("compact", say("<analysis>none</analysis>\n<summary>Nothing of note.</summary>"))
        if kind == "side":
            return self._script.get("side", say("ok"))
        turns = self._script.get("turns")
        return turns.pop(0) if turns else say("Done.")

    def _hold_back(self, reply):
        """Wait as a slow model would, or until something has happened, but never longer than the server lives."""
        self._closing.wait(reply.get("delay_s", 0))
        until = reply.get("until")
        while until and not until.is_set() and not self._closing.is_set():
            until.wait(0.1)


def _check(script):
    """Refuse a script with a misspelt key, before a client waits for it in vain."""
    replies = [*script.get("turns", []), script.get("compact", {}), script.get("side", {})]
    for rule in script.get("rules", []):
        replies += rule["turns"]
        _only(RULE_KEYS, rule)
    _only(SCRIPT_KEYS, script)
    for reply in replies:
        _only(REPLY_KEYS, reply)


def _only(known, given):
    if unknown := set(given) - known:
        raise ValueError(f"not a part of a script: {sorted(unknown)}")


def _kind(method, path, body):
    if method != "POST" or path.split("?")[0] != "/v1/messages" or not isinstance(body, dict):
        return "stray"
    if ASKS_FOR_A_SUMMARY in "".join(user_texts(body)[-1:]):
        return "compact"
    return "main" if body.get("tools") else "side"


def _holds(rule, body):
    users = user_texts(body) or [""]
    places = {"first_user": users[0], "last_user": users[-1]}
    if "anywhere" in rule:
        places["anywhere"] = text_of(Request("", "", "", body))
    return all(rule[name] in place for name, place in places.items() if name in rule)


def _message(asked, reply):
    """Return the whole assistant message that a reply stands for."""
    blocks = [
        {"id": f"toolu_{uuid.uuid4().hex[:22]}", **block} if block["type"] == "tool_use" else dict(block)
        for block in reply["blocks"]
    ]
    return {
        "id": f"msg_{uuid.uuid4().hex[:22]}",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": SMALL_USAGE | reply.get("usage", {}),
    }


def _events(message):
    """Spell a message as the events of a stream: opening, one block at a time, and why it stopped."""
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        empty, delta = _block_in_two(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _block_in_two(block):
    """Part a block into its empty shell and the one delta that fills it."""
    if block["type"] == "tool_use":
        return block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}


def _door(api):
    """Return the request handler that knocks at this one server."""

    class Door(BaseHTTPRequestHandler):
        def log_message(self, *_):
            """Stay silent: the record has everything."""

        def do_GET(self):
            self._serve(None)

        do_HEAD = do_GET

        def do_POST(self):
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                self._serve(json.loads(raw))
            except ValueError:
                self._serve(None)

        def _serve(self, body):
            reply = api._answer(self.command, self.path, body)
            if reply is None:
                reply = refuse(404, "not_found_error", "no such door")
            api._hold_back(reply)
            # Esc and a killed client hang up in the middle of an answer.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._send(body, reply)

        def _send(self, body, reply):
            if error := reply.get("error"):
                known = {"type": "error", "error": {"type": error["type"], "message": error["message"]}}
                self._head(error["status"], "application/json")
                self.wfile.write(json.dumps(known).encode())
            elif body.get("stream"):
                self._head(200, "text/event-stream")
                for event in _events(_message(body, reply)):
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            else:
                self._head(200, "application/json")
                self.wfile.write(json.dumps(_message(body, reply)).encode())

        def _head(self, status, content_type):
            # HTTP/1.0, one request to a connection: the end of the body is the end of the connection.
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.end_headers()

    return Door
