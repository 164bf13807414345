"""What all commands share: the application, its options, how errors end, and how things are printed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from evalkit.errors import BudgetExceeded, EvalkitError, SuiteError
from evalkit.exits import EXITS
from evalkit.shown import printable


class Commands(typer.core.TyperGroup):
    """The commands, whose known errors end in one line and an exit code, never in a traceback."""

    def invoke(self, ctx: typer.Context) -> Any:
        """Run the command that was named."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal that lacks a character shows its number instead of a traceback.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(say(EXITS[130], 130)) from None
        except BudgetExceeded as error:
            raise typer.Exit(say(str(error), 3)) from error
        except SuiteError as error:
            raise typer.Exit(say(str(error), 1)) from error
        except EvalkitError as error:
            raise typer.Exit(say(f"evalkit: {error}", 1)) from error
        except BrokenPipeError:
            # Who reads on has seen enough; what is still to be written at the end of the process goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            raise typer.Exit(say(f"evalkit: {error.filename or ''}: {error.strerror or error}", 1)) from error


app = typer.Typer(
    cls=Commands,
    help="Which model should answer your customers? Cases, trials, and reports that people can decide from.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
StoreFile = Annotated[
    Path | None,
    typer.Option("--store", help="The store's file; default $EVALKIT_STORE or reports/store/evalkit.sqlite."),
]
OutFolder = Annotated[Path, typer.Option("--out", help="The folder of archived reports.")]
RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="A run's id, a unique prefix, `latest`, or an archived report's folder."),
]


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


def say(message: str, code: int = 1) -> int:
    """Print a message to stderr, of what people wrote in it only what cannot drive a terminal; the exit code."""
    typer.echo(printable(message), err=True)
    return code
