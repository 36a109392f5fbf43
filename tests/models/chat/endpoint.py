"""A real HTTP server on loopback that speaks `/v1/chat/completions`, one step a request."""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]

GATE_S = 30.0
"""A gate that nobody opens is no reason to wait for ever."""


@dataclass
class Step:
    """What the server does with one request.

    `status` other than 200 answers `error`. `raw` is sent as it stands instead of a reply.
    `hang_s` waits before anything is sent. `cut` closes the connection after that many chunks.
    `stream_error` sends an error before it does. `counts`: the server counts tokens. `gate`: each
    word of a stream waits until it is released once more.
    """

    text: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    error: Any = "no"
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    content_type: str = "application/json"
    hang_s: float = 0.0
    cut: int | None = None
    counts: bool = True
    finish: str = "stop"
    stream_error: bool = False
    gate: threading.Semaphore | None = None


class Http(ThreadingHTTPServer):
    """A server that takes a client's hanging up as nothing to report."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Server:
    """Serves `steps` in order; `refuses` maps a parameter to the (status, message) it gets.

    A refused request uses up no step.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.requests: list[Request] = []
        self.headers: list[dict[str, str]] = []
        self.refuses: dict[str, tuple[int, str]] = {}
        self.models: list[str] = ["tiny"]
        self.released = threading.Event()
        self._http = Http(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(server: "Server") -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                server.headers.append({k.lower(): v for k, v in self.headers.items()})
                data = [{"id": name, "object": "model"} for name in server.models]
                _send(self, 200, json.dumps({"object": "list", "data": data}).encode())

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.headers.append({k.lower(): v for k, v in self.headers.items()})
                for parameter, (status, message) in server.refuses.items():
                    if parameter in body or _form(body) == parameter:
                        return _fail(self, Step(status=status, error={"message": message}))
                _answer(self, body, server.steps.pop(0), server.released)

        return Handler


def _form(body: Request) -> str:
    return body.get("response_format", {}).get("type", "")


def _send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", headers.pop("content_type", "application/json"))
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def _fail(handler: BaseHTTPRequestHandler, step: Step) -> None:
    _send(handler, step.status, json.dumps({"error": step.error}).encode(), **step.headers)


def _answer(
    handler: BaseHTTPRequestHandler, body: Request, step: Step, released: threading.Event
) -> None:
    if step.hang_s:
        released.wait(step.hang_s)
    if step.status != 200:
        _fail(handler, step)
    elif step.raw is not None:
        _send(handler, 200, step.raw, content_type=step.content_type)
    elif body.get("stream"):
        _stream(handler, body, step)
    else:
        _send(handler, 200, json.dumps(_whole(body, step)).encode())


def _whole(body: Request, step: Step) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
    if step.tool_calls:
        message["tool_calls"] = step.tool_calls
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": step.finish}
    reply: dict[str, Any] = {"id": "x", "object": "chat.completion", "choices": [choice]}
    if step.counts:
        reply["usage"] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return reply


def _chunks(body: Request, step: Step) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in re.findall(r"\s*\S+|\s+$", step.text):
        yield chunk({"content": piece})
    for index, call in enumerate(step.tool_calls):
        function = call["function"]
        half = len(function["arguments"]) // 2
        named = {"name": function["name"], "arguments": function["arguments"][:half]}
        first = {"index": index, "id": call["id"], "type": "function", "function": named}
        yield chunk({"tool_calls": [first]})
        rest = {"index": index, "function": {"arguments": function["arguments"][half:]}}
        yield chunk({"tool_calls": [rest]})
    yield chunk({}, step.finish)
    if step.counts and "stream_options" in body:
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        yield {"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": usage}


def _says(chunk: dict[str, Any]) -> bool:
    return any(choice["delta"].get("content") for choice in chunk["choices"])


def _stream(handler: BaseHTTPRequestHandler, body: Request, step: Step) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()

    def send(words: str) -> None:
        line = f"data: {words}\n\n".encode()
        handler.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        handler.wfile.flush()

    for place, chunk in enumerate(_chunks(body, step)):
        if place == step.cut:
            if step.stream_error:
                send(json.dumps({"error": {"message": "out of memory"}}))
            handler.close_connection = True
            return
        if step.gate is not None and _says(chunk):
            step.gate.acquire(timeout=GATE_S)
        send(json.dumps(chunk))
    send("[DONE]")
    handler.wfile.write(b"0\r\n\r\n")


def tool_call(name: str, arguments: str, *, id: str = "call_1") -> dict[str, Any]:
    """A tool call as it goes over the wire; `arguments` is JSON, or should be."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


@contextmanager
def serving(prepare: Callable[[Server], None] | None = None) -> Iterator[Server]:
    """A server for the length of a block."""
    server = Server()
    if prepare is not None:
        prepare(server)
    server.start()
    try:
        yield server
    finally:
        server.stop()
