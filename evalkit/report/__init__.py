"""From a run to an archived folder of self-contained pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalkit.lean import spare_grammars

if TYPE_CHECKING:
    from evalkit.report.archiving import find_notebooks, folder_name, parameters_from_text, render, report

__all__ = ["find_notebooks", "folder_name", "parameters_from_text", "render", "report"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        spare_grammars()
        from evalkit.report import archiving

        return getattr(archiving, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
