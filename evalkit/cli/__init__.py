"""The command line: it parses, calls one function, and prints."""

from evalkit.cli import ci, gate, grade, label, noise, play, quarantine, read, suite, transfer, trust
from evalkit.cli.app import app

__all__ = ["app", "ci", "gate", "grade", "label", "noise", "play", "quarantine", "read", "suite", "transfer", "trust"]
