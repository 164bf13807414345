"""The command line: it parses, calls one function, and prints."""

from evalkit.cli import grade, label, play, read, suite, trust
from evalkit.cli.app import app

__all__ = ["app", "grade", "label", "play", "read", "suite", "trust"]
