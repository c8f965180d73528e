"""The model APIs of the other clients on loopback, Responses, Chat Completions and Gemini, which say what a test told them.

A turn is a text, or a list of calls as (name of the tool, its input). Each request that offers tools gets the next, "Done." when
they run out; any other gets "ok". `heard` returns all that was asked.
"""

import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"prompt_tokens": 90, "completion_tokens": 12, "total_tokens": 102}
DETAILS = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}


class ModelsApi(ThreadingHTTPServer):
    """The server; use it as a context manager. `play` sets the turns to come."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.turns, self.asked, self.lock = [], [], threading.Lock()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def play(self, *turns):
        with self.lock:
            self.turns, self.asked = list(turns), []

    def heard(self):
        with self.lock:
            return "\n".join(self.asked)

    def next_turn(self, body):
        with self.lock:
            self.asked.append(json.dumps(body))
            if not body.get("tools"):
                return "ok"
            return self.turns.pop(0) if self.turns else "Done."


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._json({"object": "list", "data": [{"id": "stub-model", "object": "model"}], "models": []})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        turn = self.server.next_turn(body)
        text, calls = (turn, []) if isinstance(turn, str) else ("", turn)
        path = self.path.partition("?")[0]
        if path.endswith("/responses"):
            self._events(_responses(text, calls), named=True)
        elif path.endswith("/chat/completions"):
            whole = _completion(text, calls)
            self._events([*_chunks(whole), "[DONE]"]) if body.get("stream") else self._json(whole)
        elif ":countTokens" in path:
            self._json({"totalTokens": 90})
        else:
            whole = _gemini(text, calls)
            self._events([whole]) if ":stream" in path else self._json(whole)

    def _json(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, events, named=False):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for each in events:
            name = f"event: {each['type']}\n" if named else ""
            self.wfile.write(f"{name}data: {each if isinstance(each, str) else json.dumps(each)}\n\n".encode())
        self.close_connection = True


def _responses(text, calls):
    said = [{"type": "output_text", "text": text, "annotations": []}]
    done = {"status": "completed"}
    items = [{"type": "message", "role": "assistant", "id": _name("msg"), "content": said, **done}] if text else []
    for name, given in calls:
        called = {"id": _name("fc"), "call_id": _name("call"), "name": name, "arguments": json.dumps(given)}
        items.append({"type": "function_call", **called, **done})
    response = {"id": _name("resp"), "object": "response", "output": [], "model": "stub-model", "created_at": 1}
    events = [{"type": "response.created", "response": {**response, "status": "in_progress"}}]
    for number, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": number, "item": {**item, "status": "in_progress"}})
        events.append({"type": "response.output_item.done", "output_index": number, "item": item})
    usage = {"input_tokens": 90, "output_tokens": 12, "total_tokens": 102, **DETAILS}
    events.append({"type": "response.completed", "response": {**response, "status": "completed", "output": items, "usage": usage}})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _completion(text, calls):
    functions = [{"name": name, "arguments": json.dumps(given)} for name, given in calls]
    tools = [{"index": at, "id": _name("call"), "type": "function", "function": each} for at, each in enumerate(functions)]
    message = {"role": "assistant", "content": text or None, **({"tool_calls": tools} if tools else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}
    return {
        "id": _name("chat"),
        "object": "chat.completion",
        "created": 1,
        "model": "stub-model",
        "choices": [choice],
        "usage": USAGE,
    }


def _chunks(whole):
    (choice,) = whole["choices"]
    common = {**whole, "object": "chat.completion.chunk"}
    del common["usage"]
    yield {**common, "choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]}
    yield {**common, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield {**common, "choices": [], "usage": USAGE}


def _gemini(text, calls):
    parts = ([{"text": text}] if text else []) + [{"functionCall": {"name": name, "args": given}} for name, given in calls]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": 90, "totalTokenCount": 102},
        "modelVersion": "stub-model",
    }


def _name(kind):
    return f"{kind}_{uuid.uuid4().hex[:20]}"
