"""The command line: it parses, calls one function, and prints."""

from evalkit.cli import grade, play, read, suite
from evalkit.cli.app import app

__all__ = ["app", "grade", "play", "read", "suite"]
