"""`python -m evalkit.cli`."""

from evalkit.cli import app

app()
