"""A desk to label at, in a notebook: one item at a time, and each rating in the rater's sheet at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from evalkit.errors import CaseError
from evalkit.home import at_home
from evalkit.labels.answers import verdict_in
from evalkit.labels.csv_table import Row, csv_bytes, read_csv
from evalkit.labels.sheets import NOTE, sheet_columns
from evalkit.labels.writing import replace

if TYPE_CHECKING:
    from evalkit.rubrics import Rubric

_PAGE = Markup("""<div style="max-width: 75em">
<p><b>{title}</b> · {progress}</p>
<div style="display: grid; grid-template-columns: 3fr 2fr; gap: 1em">
<div><b>Transcript</b><div style="{box}">{transcript}</div></div>
<div><b>Golden answer</b><div style="{box}">{golden}</div>{criteria}{menu}</div>
</div>
<p>Write it down: <code>{call}</code></p>
</div>""")
_BOX = "white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #999; padding: .5em; margin: .3em 0 1em"


@dataclass(frozen=True)
class Paper:
    """One item as a notebook shows it."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True)
class Desk:
    """A rater's sheet, opened at a desk. The file is read and written anew for each rating, so nothing is ever lost."""

    path: Path
    rubric: Rubric

    def show(self, item: str = "") -> Paper:
        """An item of the sheet; the first that is not rated yet where none is named."""
        rows, _ = self._read()
        return self._paper(rows, item)

    def rate(self, item: str, /, note: str | None = None, **verdicts: object) -> Paper:
        """Write verdicts on an item into the sheet, and show the next one; None leaves a cell as it is, '' empties it.

        Raises CaseError for an id that is not in the sheet, an unknown criterion, or a verdict off the menu; then
        nothing is written. Example: `desk.rate("L007", correctness=4, tone=5, note="the deadline is missing")`.
        """
        rows, delimiter = self._read()
        given = {name: self._verdict(name, value) for name, value in verdicts.items() if value is not None}
        given |= {NOTE: note} if note is not None else {}
        if given:
            wanted = self._row(rows, item)
            rows = tuple(Row(row.line, {**row.cells, **given}) if row is wanted else row for row in rows)
            columns = sheet_columns(self.rubric)
            replace(self.path, csv_bytes(columns, [row.cells for row in rows], delimiter))
        return self._paper(rows, "" if given else item)

    def _read(self) -> tuple[tuple[Row, ...], str]:
        return read_csv(self.path, sheet_columns(self.rubric))

    def _row(self, rows: tuple[Row, ...], item: str) -> Row:
        found = [row for row in rows if row.cells["item"].strip() == item.strip()]
        if len(found) != 1:
            raise CaseError(f"{self.path} has {len(found) or 'no'} rows of item {item!r}; write the id that is shown")
        return found[0]

    def _verdict(self, criterion: str, value: object) -> str:
        if criterion not in self.rubric.criterion_names:
            raise CaseError(f"no criterion {criterion!r}; the rubric asks for {', '.join(self.rubric.criterion_names)}")
        try:
            return verdict_in(str(value), self.rubric) or ""
        except ValueError as error:
            raise CaseError(f"{criterion}: {error}") from None

    def _paper(self, rows: tuple[Row, ...], item: str) -> Paper:
        names = self.rubric.criterion_names
        open_rows = [row for row in rows if not all(row.cells[name].strip() for name in names)]
        progress = f"{len(rows) - len(open_rows)} of {len(rows)} items rated"
        if not item and not open_rows:
            return Paper(
                Markup("<p><b>Every item is rated.</b> {}. Send {} back.</p>").format(progress, self.path.name)
            )
        row = self._row(rows, item) if item else open_rows[0]
        return Paper(self._html(row.cells, progress))

    def _html(self, cells: Mapping[str, str], progress: str) -> str:
        names = self.rubric.criterion_names
        so_far = ", ".join(f"{name} {cells[name].strip() or '–'}" for name in names)
        call = ", ".join([repr(cells["item"]), *(f"{name}=…" for name in names), 'note=""'])
        return _PAGE.format(
            title=f"{cells['item']} · {cells['kind']}",
            progress=f"{progress}; so far {so_far}" + (f"; note: {cells[NOTE]}" if cells[NOTE].strip() else ""),
            box=_BOX,
            transcript=cells["transcript"],
            golden=cells["golden answer"],
            criteria=_terms((each.name, each.asks) for each in self.rubric.criteria),
            menu=_terms((each.verdict, each.means) for each in self.rubric.menu),
            call=f"desk.rate({call})",
        )


def open_sheet(path: str | Path, rubric: str, suite: str | Path = "cases") -> Desk:
    """The desk with a rater's sheet on it, to be rated by a rubric of the suite.

    Raises CaseError where the suite has no such rubric, or the file is no sheet for it.
    """
    from evalkit.loading import load_suite

    known = load_suite(suite).rubrics
    if rubric not in known:
        raise CaseError(f"no rubric {rubric!r} in {suite}; known: {', '.join(known) or 'none'}")
    desk = Desk(at_home(path), known[rubric])
    desk.show()
    return desk


def _terms(pairs: Iterable[tuple[str, str]]) -> Markup:
    lines = Markup().join(Markup("<dt><b>{}</b></dt><dd>{}</dd>").format(*pair) for pair in pairs)
    return Markup("<dl>{}</dl>").format(lines)
