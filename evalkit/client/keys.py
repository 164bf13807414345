"""API keys: where they are read from, and that they stand in nothing that is written."""

from __future__ import annotations

import ipaddress
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from evalkit.errors import EvalkitError

MIN_SECRET = 6
REDACTED = "[redacted]"

# Far more than a sentence for people needs, and little enough for a hostile error body to be read at once.
READ_AT_MOST = 100_000

_SECRET_NAME = re.compile(r"(API_?KEY|ACCESS_KEY|TOKEN|SECRET|SECRET_KEY|PASSWORD)$", re.IGNORECASE)
_SHAPES = (
    (re.compile(r"\bsk-[\w*-]{6,}"), REDACTED),
    (re.compile(r"\bBearer\s+[\w.~+/*=-]{6,}", re.IGNORECASE), f"Bearer {REDACTED}"),
    (re.compile(r"(?<=://)[^/\s@]+@"), f"{REDACTED}@"),
)


def redact(text: str, *secret_variables: str) -> str:
    """The text with `[redacted]` in place of API keys, cut to 100,000 characters.

    Keys are the values of environment variables whose names look like a secret's, those of `secret_variables`
    whatever their names, and anything that has the shape of a key.
    """
    text = text[:READ_AT_MOST]
    names = {name for name in os.environ if _SECRET_NAME.search(name)} | set(secret_variables)
    values = {os.environ.get(name, "").strip() for name in names}
    # The longest first: a key that begins with another key must not leave its end behind.
    for value in sorted((v for v in values if len(v) >= MIN_SECRET), key=len, reverse=True):
        text = text.replace(value, REDACTED)
    for shape, instead in _SHAPES:
        text = shape.sub(instead, text)
    return text


def load_env(path: str | os.PathLike[str]) -> list[str]:
    """Read a `.env` file into the environment; returns the names that this set. What is set already stays.

    A file that is not there sets nothing. Raises EvalkitError where it cannot be read.
    """
    from dotenv import dotenv_values

    if not Path(path).is_file():
        return []
    try:
        values = dotenv_values(path, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise EvalkitError(f"{path}: cannot be read as UTF-8 text ({type(error).__name__})") from None
    new = {name: value for name, value in values.items() if value is not None and name not in os.environ}
    os.environ.update(new)
    return sorted(new)


def key_in(variable: str) -> str:
    """The key that an environment variable holds now; '' where it holds none."""
    return os.environ.get(variable, "").strip()


def on_loopback(address: str | None) -> bool:
    """Whether an address is this machine's own, where no provider's key must go."""
    host = urlsplit(address or "").hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
