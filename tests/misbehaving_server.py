"""An OpenAI-compatible server on the loopback that misbehaves on demand.

    with MisbehavingServer() as server:
        server.script(["429:Retry-After=1", "ok"])      # the next two requests, whatever model they name
        call(model="openai/silence", api_base=server.url)
        server.requests[-1].body["messages"]

What a request meets is chosen by, in this order: the script; the model's name in the request
(`openai/silence`, `openai/500|ok`: the first request 500, the second ok, and round again); else a normal
reply, whose text (or whole body) `reply=` may compute from the request. A behaviour is `name` or
`name:argument`; any HTTP status is one:

    429:Retry-After=2   429 with that header; `Retry-After=date+2` writes the HTTP date two seconds from now
    404                 an error body as OpenAI writes it
"""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import struct
import threading
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any

Json = dict[str, Any]
JSON = "application/json"

USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
CACHED_USAGE = {
    "prompt_tokens": 2006,
    "completion_tokens": 300,
    "total_tokens": 2306,
    "prompt_tokens_details": {"cached_tokens": 1920},
}
CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
TOO_LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."


@dataclass(frozen=True)
class Request:
    """One request as it arrived: its parsed body, its headers in lower case, and what it met."""

    path: str
    headers: Mapping[str, str]
    body: Json
    behaviour: str
    at: float


class MisbehavingServer:
    """A server in a thread of its own, on 127.0.0.1 and a port that was free; use it as a context manager."""

    def __init__(self, reply: Callable[[Json], str | Json] | None = None) -> None:
        self.requests: list[Request] = []
        self._reply = reply or (lambda request: "Hello from " + str(request.get("model")))
        self._script: deque[str] = deque()
        self._turns: dict[str, itertools.count[int]] = defaultdict(itertools.count)
        self._serial = itertools.count(1)
        self._open: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def url(self) -> str:
        """The base address, as `api_base` wants it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, behaviours: Iterable[str]) -> None:
        """What the next requests meet, in order, whatever model they name."""
        self._script = deque(behaviours)

    def __enter__(self) -> MisbehavingServer:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the test server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=512)
        self.port: int = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Own tasks, not start_server's: those log a traceback for each connection that a client drops.
        task = self._loop.create_task(self._converse(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection may carry a further request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return False
        first, *lines = head.rstrip("\r\n").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        body = json.loads(raw) if raw else {}
        behaviour = self._choose(str(body.get("model", "")))
        self.requests.append(Request(first.split(" ")[1], headers, body, behaviour, time.time()))
        exchange = Exchange(body, headers, reader, writer, next(self._serial), self._reply)
        return await exchange.play(behaviour)

    def _choose(self, model: str) -> str:
        if self._script:
            return self._script.popleft()
        turns = model.split("|")
        behaviour = turns[next(self._turns[model]) % len(turns)]
        name = behaviour.partition(":")[0]
        return behaviour if name in BEHAVIOURS or name.isdecimal() else "ok"


@dataclass
class Exchange:
    """One request and the connection to answer it on."""

    request: Json
    headers: Mapping[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    serial: int
    reply: Callable[[Json], str | Json]

    async def play(self, behaviour: str) -> bool:
        name, _, argument = behaviour.partition(":")
        if name.isdecimal():
            await self.status(int(name), argument)
            return True
        return await BEHAVIOURS[name](self, argument) is not CLOSED

    async def send(self, status: int, payload: bytes, *, kind: str = "application/json", **headers: str) -> None:
        fields = {"content-type": kind, "content-length": str(len(payload)), **headers}
        self.writer.write(_head(status, fields) + payload)
        await self.writer.drain()

    async def status(self, status: int, header: str = "", *, code: str = "", message: str = "") -> None:
        name, _, value = header.partition("=")
        if value.startswith("date+"):
            value = formatdate(time.time() + float(value.removeprefix("date+")), usegmt=True)
        message = message or f"The server answered {status}."
        body = {"error": {"message": message, "type": "error", "code": code or CODES.get(status)}}
        await self.send(status, json.dumps(body).encode(), **({name: value} if name else {}))

    def completion(self, content: Any = "Hello.", finish: str = "stop", **extra: Any) -> Json:
        message = {"role": "assistant", "content": content} | extra.pop("message", {})
        return {
            "id": f"chatcmpl-{self.serial}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self.request.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": USAGE,
        } | extra

    async def complete(self, *args: Any, **extra: Any) -> None:
        await self.send(200, json.dumps(self.completion(*args, **extra)).encode())

    async def hold(self) -> None:
        """Say nothing more until the other side goes away."""
        while await self.reader.read(65536):
            pass


def _head(status: int, fields: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


CLOSED = object()
Behaviour = Callable[[Exchange, str], Awaitable[object]]
BEHAVIOURS: dict[str, Behaviour] = {}


def behaviour(name: str) -> Callable[[Behaviour], Behaviour]:
    def register(play: Behaviour) -> Behaviour:
        BEHAVIOURS[name] = play
        return play

    return register


def completion(name: str, *args: Any, **extra: Any) -> None:
    """A behaviour that is one fixed completion."""

    async def play(exchange: Exchange, _: str) -> None:
        await exchange.complete(*args, **extra)

    BEHAVIOURS[name] = play


def body(name: str, payload: bytes, kind: str = "application/json") -> None:
    """A behaviour that is a 200 with these bytes."""

    async def play(exchange: Exchange, _: str) -> None:
        await exchange.send(200, payload, kind=kind)

    BEHAVIOURS[name] = play


def tool_call(arguments: Any, name: str = "lookup_order") -> Json:
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"content": None, "tool_calls": [call]}


completion("null", None)
completion("blank", " \n\t ")
completion("length", "", "length")
completion("length-cut", "The refund takes", "length")
completion("filter", "", "content_filter")
completion("filter-cut", "I hate", "content_filter")
completion("refusal", None, message={"refusal": "I can't help with that."})
completion("no-choices", choices=[])
completion("null-choices", choices=None)
completion("null-choice", choices=[None])
completion("no-message", choices=[{"index": 0, "finish_reason": "stop"}])
completion("number-content", 42)
completion("list-content", [{"type": "text", "text": "Hello "}, {"type": "text", "text": "there."}])
completion("other-model", model="gpt-4.1-mini-2025-04-14")
completion("cached", usage=CACHED_USAGE)
completion("no-usage", usage=None)
completion("zero-usage", usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0})
completion("negative-usage", usage={"prompt_tokens": -20, "completion_tokens": 5, "total_tokens": -15})
completion("tool", None, "tool_calls", message=tool_call('{"order_id": "88213"}'))
completion("bad-tool-json", None, "tool_calls", message=tool_call('{"order_id": "882'))
completion("object-tool-arguments", None, "tool_calls", message=tool_call({"order_id": "88213"}))
completion("nameless-tool", None, "tool_calls", message=tool_call("{}", name=None))  # type: ignore[arg-type]
completion("huge-tool", None, "tool_calls", message=tool_call('{"note": "' + "x" * 1_000_000 + '"}'))
completion("surrogate", "half a pair: \ud83d")
completion("surrogate-tool", None, "tool_calls", message=tool_call('{"note": "\\ud83d"}'))
completion("odd-labels", model=["a", "list"], system_fingerprint={"an": "object"})
body("bad-json", b'{"id": "chatcmpl-1", "choices": [')
body("empty-body", b"")
body("json-list", b"[1, 2, 3]")
body("html", b"<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>", "text/html")
body("error-in-200", b'{"error": {"message": "Provider returned error", "code": 502}}')


@behaviour("ok")
async def _ok(exchange: Exchange, text: str) -> None:
    said = text or exchange.reply(exchange.request)
    whole = exchange.completion(said) if isinstance(said, str) else exchange.completion() | said
    await exchange.send(200, json.dumps(whole).encode())


@behaviour("slow")
async def _slow(exchange: Exchange, seconds: str) -> None:
    await asyncio.sleep(float(seconds))
    await exchange.complete()


@behaviour("silence")
async def _silence(exchange: Exchange, _: str) -> object:
    await exchange.hold()
    return CLOSED


@behaviour("drip")
async def _drip(exchange: Exchange, _: str) -> object:
    payload = json.dumps(exchange.completion()).encode()
    exchange.writer.write(_head(200, {"content-type": "application/json", "content-length": str(len(payload))}))
    for byte in payload:
        exchange.writer.write(bytes([byte]))
        await exchange.writer.drain()
        await asyncio.sleep(1)
    return CLOSED


@behaviour("cut-body")
async def _cut_body(exchange: Exchange, _: str) -> object:
    payload = json.dumps(exchange.completion()).encode()
    fields = {"content-type": "application/json", "content-length": str(len(payload))}
    exchange.writer.write(_head(200, fields) + payload[: len(payload) // 2])
    await exchange.writer.drain()
    exchange.writer.close()
    await exchange.writer.wait_closed()
    return CLOSED


@behaviour("reset")
async def _reset(exchange: Exchange, _: str) -> object:
    linger = struct.pack("ii", 1, 0)
    exchange.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    exchange.writer.transport.abort()
    return CLOSED


@behaviour("huge")
async def _huge(exchange: Exchange, megabytes: str) -> None:
    await exchange.complete("x" * (int(megabytes or 20) * 1_000_000))


@behaviour("accents")
async def _accents(exchange: Exchange, count: str) -> None:
    """So many characters of two bytes each."""
    await exchange.complete("é" * int(count))


@behaviour("huge-no-usage")
async def _huge_no_usage(exchange: Exchange, _: str) -> None:
    await exchange.complete("word " * 4_000_000, usage=None)


@behaviour("deep-tool-json")
async def _deep_tool_json(exchange: Exchange, _: str) -> None:
    await exchange.complete(None, "tool_calls", message=tool_call("[" * 100_000))


@behaviour("fingerprint")
async def _fingerprint(exchange: Exchange, _: str) -> None:
    await exchange.complete(system_fingerprint=f"fp_{exchange.serial}")


@behaviour("quota")
async def _quota(exchange: Exchange, _: str) -> None:
    await exchange.status(429, code="insufficient_quota", message="You exceeded your current quota.")


@behaviour("context")
async def _context(exchange: Exchange, _: str) -> None:
    await exchange.status(400, code="context_length_exceeded", message=TOO_LONG)


@behaviour("policy")
async def _policy(exchange: Exchange, _: str) -> None:
    message = "Your request was rejected as a result of our safety system."
    await exchange.status(400, code="content_policy_violation", message=message)


@behaviour("echo-key")
async def _echo_key(exchange: Exchange, status: str) -> None:
    """Repeats the key that it was sent in its own error message, as some gateways do."""
    given = exchange.headers.get("authorization", "").removeprefix("Bearer ")
    await exchange.status(int(status or 401), message=f"Incorrect API key provided: {given}.")
