"""The command line: it parses, calls one function, and prints."""

from evalkit.cli import play, read, suite
from evalkit.cli.app import app

__all__ = ["app", "play", "read", "suite"]
