"""What went wrong with a call to a model: one word for the record, one sentence for people.

LiteLLM maps all that it meets to a few exceptions, and some of them mislead: a reply that is no JSON
arrives as status 500, and a provider's headers are often lost. The exceptions beneath tell what happened,
so the whole chain is read, by the names of its classes: this module needs neither LiteLLM nor the HTTP
libraries under it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from evalkit.client.keys import READ_AT_MOST, redact
from evalkit.client.wire import Reply

MAX_DETAIL = 300
MAX_REPLY_BYTES = 1_000_000

_MAPPED = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Timeout)|Timeout Error): |^\w+Exception - ")
_PARAMETERS = re.compile(r"parameters: \[([^\]]*)\]")

_NEVER_CONNECTED = frozenset({"ConnectError", "ConnectTimeout", "ClientConnectorError", "ProxyError"})
_CUT = frozenset({"ClientPayloadError", "ContentLengthError", "TransferEncodingError", "DecodingError"})
_DISCONNECTED = frozenset(
    {
        "ReadError",
        "WriteError",
        "NetworkError",
        "RemoteProtocolError",
        "ServerDisconnectedError",
        "ClientOSError",
    }
)
_TIMED_OUT = frozenset({"ReadTimeout", "WriteTimeout", "PoolTimeout", "TimeoutException", "APITimeoutError"})
_UNFIT = frozenset({"KeyError", "IndexError", "TypeError", "AttributeError", "ValidationError", "RecursionError"})

_STATUSES: Mapping[int, tuple[str, str]] = {
    401: ("unauthorized", "the API key was refused"),
    402: ("quota", "the provider's credit is used up"),
    403: ("forbidden", "access was refused"),
    404: ("not_found", "no such model or address"),
    408: ("timeout", "the provider ran out of time"),
    429: ("rate_limit", "too many requests"),
    504: ("timeout", "the provider ran out of time"),
}


@dataclass(frozen=True)
class Failure:
    """Why an attempt came to no answer; `fault` is '' where a reply came, but an empty one.

    `status` is what the call comes to if no attempt follows, `retry` whether one may; `retry_after_s` is
    the wait that the provider asked for. `free`: refused before it could cost anything.
    """

    fault: str
    detail: str
    status: Literal["empty", "error", "timeout"] = "error"
    retry: bool = False
    retry_after_s: float | None = None
    free: bool = False


def failure_of(error: BaseException, *secret_variables: str) -> Failure:
    """The failure that an exception from `litellm.acompletion` stands for, its detail redacted and short."""
    chain = tuple(_chain(error))
    response = _http_response(chain)
    found = _refusal(chain, response)
    if response is None:
        # An error that litellm itself or a custom provider refused with says what it is; others only seem to.
        refused = 400 <= _status(chain, response) < 500
        found = _connection(chain) or (None if refused else _unreadable(chain)) or found
    return replace(found, detail=short(redact(found.detail, *secret_variables)))


def failure_of_reply(reply: Reply | None) -> Failure | None:
    """Why a reply is no answer; None where it is one. None for a reply is a response without a choice."""
    if reply is None:
        return Failure("no_choices", "the reply held no choice (`choices: []`)")
    if reply.size > MAX_REPLY_BYTES:
        held = f"the reply held {reply.size:,} bytes; at most {MAX_REPLY_BYTES:,} are read"
        return Failure("oversize", held)
    if reply.finish_reason == "length":
        said = "the answer was cut" if reply.text.strip() or reply.tool_calls else "cut before any answer"
        return Failure("", f"{said} by the token limit (finish_reason length)", "empty")
    if reply.finish_reason == "content_filter":
        return Failure("", "stopped by the provider's content filter", "empty")
    if not reply.text.strip() and not reply.tool_calls:
        but = ", but a refusal" if reply.refused else ""
        return Failure("", f"the reply held no text{but}", "empty")
    return None


def too_late(patience_s: float | None) -> Failure:
    """An attempt cut off: at the trial's deadline (None), or after `patience_s` seconds of its own."""
    if patience_s is None:
        return Failure("deadline", "no whole reply within the trial's time", "timeout")
    return Failure("timeout", f"no whole reply within {patience_s:g} s (request_timeout_s)", retry=True)


def short(text: str) -> str:
    """The text on one line, without control characters, cut to 300 characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:READ_AT_MOST]).split())
    return line if len(line) <= MAX_DETAIL else line[: MAX_DETAIL - 1] + "…"


def retry_after_s(header: str | None, now: datetime | None = None) -> float | None:
    """The seconds that a Retry-After header asks for; None where it asks for nothing sensible.

    Both forms of RFC 9110, section 10.2.3: `2`, or `Wed, 21 Oct 2026 07:28:00 GMT` (0 where that is past).
    """
    text = (header or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _http_response(chain: tuple[BaseException, ...]) -> Any:
    """The response that was really sent: litellm's own exceptions carry made-up ones, without headers."""
    for error in reversed(chain):
        of_the_sdk = type(error).__module__.partition(".")[0] == "openai"
        response = getattr(error, "response", None)
        if response is not None and (of_the_sdk or type(error).__name__.endswith("HTTPStatusError")):
            return response
    return None


def _status(chain: tuple[BaseException, ...], response: Any) -> int:
    status = getattr(chain[0] if response is None else response, "status_code", None)
    return status if isinstance(status, int) else 500


def _connection(chain: tuple[BaseException, ...]) -> Failure | None:
    names = {cls.__name__ for error in chain[1:] for cls in type(error).__mro__}
    if names & _NEVER_CONNECTED:
        return Failure("connection", f"could not connect: {chain[-1]}", retry=True, free=True)
    if names & _CUT:
        return Failure("cut_body", "the reply broke off", retry=True)
    if names & _TIMED_OUT:
        return Failure("timeout", "the provider fell silent", retry=True)
    if names & _DISCONNECTED:
        return Failure("connection", f"the connection was lost: {chain[-1]}", retry=True)
    return None


def _unreadable(chain: tuple[BaseException, ...]) -> Failure | None:
    """The failure where a reply came with status 200 and litellm could make nothing of it."""
    texts = [str(error)[:READ_AT_MOST] for error in chain]
    decoding = next((e for e in chain if type(e).__name__ in ("JSONDecodeError", "UnicodeDecodeError")), None)
    body = str(getattr(decoding, "doc", "")) or " ".join(texts)
    if decoding is not None and getattr(decoding, "doc", None) == "":
        return Failure("empty_body", "the reply was empty: no body at all")
    broken = decoding is not None or any("Empty or invalid response" in text for text in texts)
    if broken and re.search(r"<(!doctype|html)", body[:READ_AT_MOST], re.IGNORECASE):
        return Failure("html", "the reply was a web page (HTML), not JSON: is the address right?")
    if decoding is not None:
        return Failure("bad_json", f"the reply was not valid JSON: {decoding}")
    named = any(type(error).__name__ in _UNFIT for error in chain[1:])
    if broken or named or any("provider returned 'choices'" in text for text in texts):
        return Failure("malformed", "the reply was JSON, but no chat completion")
    return None


def _refusal(chain: tuple[BaseException, ...], response: Any) -> Failure:
    classes = {cls.__name__ for cls in type(chain[0]).__mro__}
    if "UnsupportedParamsError" in classes:
        given = _PARAMETERS.search(str(chain[0]))
        names = given.group(1) if given else "a parameter"
        detail = f"the provider does not take {names} for this model: remove it from the candidate"
        return Failure("unsupported_parameter", detail, free=True)
    status = _status(chain, response)
    place = f"HTTP {status}" if response is not None else f"{status}"
    said = _error_object(chain)
    codes = {said.get("code"), said.get("type")}
    words = str(said.get("message") or _own_words(chain[0]))
    # A cause without a response is litellm's reading of an error that came in the body of a 200: a 5xx in
    # there may have cost something. An exception without a cause was raised by litellm itself or by a
    # custom provider.
    free = response is not None or len(chain) == 1 or 400 <= status < 500
    # A subclass of BadRequestError: to be asked for before the status.
    if "ContextWindowExceededError" in classes or "context_length_exceeded" in codes:
        return Failure("context_window", f"longer than the model's context window: {words}", free=free)
    if "ContentPolicyViolationError" in classes or codes & {"content_policy_violation", "content_filter"}:
        return Failure("content_filter", f"stopped by a content filter: {words}", "empty", free=free)
    if "insufficient_quota" in codes:
        return Failure("quota", f"the provider's quota is used up ({place}): {words}", free=free)
    other = ("server_error", "the provider failed") if status >= 500 else ("refused", "the request was refused")
    fault, meaning = _STATUSES.get(status, other)
    retry = status in (408, 429) or status >= 500
    wait = retry_after_s(response.headers.get("retry-after")) if response is not None else None
    return Failure(fault, f"{meaning} ({place}): {words}", retry=retry, retry_after_s=wait, free=free)


def _error_object(chain: tuple[BaseException, ...]) -> Mapping[str, Any]:
    """What the provider wrote into its error body ({} where there is none): message, type and code."""
    for error in chain:
        for source in (getattr(error, "body", None), str(error)):
            found = _parsed(source) if isinstance(source, str) else source
            if isinstance(found, Mapping):
                inner = found.get("error", found)
                strings = inner if isinstance(inner, Mapping) else {"message": inner}
                return {key: value for key, value in strings.items() if isinstance(value, str | int)}
    return {}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] == "{" else None
    except (ValueError, RecursionError):
        return None


def _own_words(error: BaseException) -> str:
    """An exception's text without the names of the classes that it passed through and without a traceback."""
    text = str(error).partition("Traceback (most recent")[0].partition(" Handle with `litellm.")[0]
    while (rest := _MAPPED.sub("", text)) != text:
        text = rest
    return text or type(error).__name__
