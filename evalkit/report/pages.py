"""Executed notebook → one self-contained page, by nbconvert and the template in `page/`."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import Highlight2HTML, ansi2html
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from evalkit.errors import ReportError
from evalkit.figures import MIME, PARTS, bundle, figure, page_file, static_svg

_HEADING = re.compile(r"<h([1-6])[^>]*>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
# What a page with a filter bar holds; its script looks for it too.
FILTERED = 'class="ek-filter"'
# Attributes that a browser follows by itself, and those that only a reader follows.
_FETCHED = frozenset({"src", "srcset", "data", "poster", "background", "href", "xlink:href", "action"})
_FETCHED_CSS = re.compile(r"url\(\s*['\"]?(?!data:)|@import", re.IGNORECASE)


@dataclass(frozen=True)
class Heading:
    """An entry of the table of contents; `level` is 2 or 3."""

    level: int
    anchor: str
    text: str


def illustrate(notebook: NotebookNode) -> None:
    """Puts a static image beside every chart's specification, so that the notebook shows it anywhere.

    Raises ReportError, with the cell, for a chart that cannot be drawn.
    """
    for number, cell in enumerate(notebook.cells, start=1):
        for output in cell.get("outputs", []):
            if MIME not in output.get("data", {}):
                continue
            try:
                output.data["image/svg+xml"] = static_svg(output.data[MIME])
            except ReportError as error:
                raise ReportError(f"cell {number}: {error}") from error


def page(notebook: NotebookNode, *, footer: str) -> str:
    """The notebook as one HTML document that asks no other host for anything.

    `notebook` is executed and illustrated; `footer` is a line of plain text. The title is the first heading.
    Raises ReportError where a cell's output would be fetched from elsewhere.
    """
    exporter = _Exporter(preprocessors=[_Prepare()])
    document, _ = exporter.from_notebook_node(notebook, resources={"footer": footer})
    _refuse_what_is_fetched(document)
    return document


class _Exporter(TemplateExporter):
    """The page's template, with everything escaped that is not marked as markup."""

    output_mimetype = "text/html"

    def _file_extension_default(self) -> str:
        return ".html"

    def _template_extension_default(self) -> str:
        return ".html.j2"

    def _template_name_default(self) -> str:
        return ""

    def _create_environment(self) -> Environment:
        environment = super()._create_environment()
        environment.autoescape = True
        return environment

    def _load_template(self) -> Any:
        return self.environment.from_string(page_file("index.html.j2"))


class _Prepare(Preprocessor):
    """Renders each cell to markup and collects what the page's frame needs."""

    enabled = True

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        highlight = Highlight2HTML(pygments_lexer="python3")
        anchors: set[str] = set()
        headings: list[Heading] = []
        title, charts, cells = None, False, []
        # The code of cells that show nothing is folded in with that of the next one that does.
        silent: list[str] = []
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                body, found = _with_anchors(_markdown(cell.source), anchors)
                title = title or next((h.text for h in found if h.level == 1), None)
                headings += [h for h in found if h.level in (2, 3)]
                cells.append({"kind": "prose", "body": Markup(body)})
            elif cell.cell_type == "code" and (cell.source.strip() or cell.outputs):
                charts = charts or any(MIME in output.get("data", {}) for output in cell.outputs)
                silent.append(cell.source.strip())
                if cell.outputs:
                    source, silent = Markup(highlight("\n\n".join(silent))), []
                    outputs = [_output(output) for output in cell.outputs]
                    cells.append({"kind": "code", "source": source, "outputs": outputs})
        if silent:
            cells.append({"kind": "code", "source": Markup(highlight("\n\n".join(silent))), "outputs": []})
        scripts = [bundle(), page_file("draw.js")] if charts else []
        if any(FILTERED in output["body"] for cell in cells for output in cell.get("outputs", ())):
            scripts.append(page_file("filter.js"))
        resources["page"] = {
            "title": title or "Report",
            "cells": cells,
            "headings": headings,
            "styles": [Markup(page_file(name)) for name in (*PARTS, "page.css")]
            + [Markup(HtmlFormatter(style="default").get_style_defs(".highlight"))],
            "scripts": [Markup(script) for script in scripts],
            "policy": _policy(scripts),
        }
        return nb, resources


def _policy(scripts: list[str]) -> str:
    # Vega compiles expressions, hence unsafe-eval. Only scripts with these hashes run, whatever slips in.
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    allowed = f"{hashes} 'unsafe-eval'" if hashes else "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _markdown(source: str, *, trusted: bool = True) -> str:
    renderer = IPythonRenderer(escape=not trusted, allow_harmful_protocols=False, exclude_anchor_links=True)
    return MarkdownWithMath(renderer=renderer).render(source)


def _with_anchors(body: str, taken: set[str]) -> tuple[str, list[Heading]]:
    found: list[Heading] = []

    def anchored(match: re.Match[str]) -> str:
        level, inner = int(match[1]), match[2]
        text = html.unescape(_TAG.sub("", inner)).strip()
        slug = re.sub(r"\W+", "-", text.lower()).strip("-") or "section"
        anchor, number = slug, 1
        while anchor in taken:
            number += 1
            anchor = f"{slug}-{number}"
        taken.add(anchor)
        found.append(Heading(level, anchor, text))
        return f'<h{level} id="{html.escape(anchor)}">{inner}</h{level}>'

    return _HEADING.sub(anchored, body), found


def _output(output: NotebookNode) -> dict[str, Any]:
    """The output as `kind` (for its style) and markup; the richest form that the page can hold."""
    if output.output_type == "stream":
        kind = "messages" if output.name == "stderr" else "text"
        return {"kind": kind, "body": Markup(ansi2html(output.text))}
    if output.output_type == "error":
        return {"kind": "messages", "body": Markup(ansi2html("\n".join(output.traceback)))}
    data = output.data
    if MIME in data:
        return {"kind": "chart", "body": Markup(figure(data[MIME], data.get("image/svg+xml")))}
    if "text/html" in data:
        return {"kind": "html", "body": Markup(data["text/html"])}
    if "image/svg+xml" in data:
        return {"kind": "image", "body": _image("image/svg+xml", data["image/svg+xml"], encode=True)}
    for mime in ("image/png", "image/jpeg"):
        if mime in data:
            return {"kind": "image", "body": _image(mime, data[mime])}
    if "text/markdown" in data:
        # Computed Markdown may quote a customer, so markup in it stays text.
        return {"kind": "html", "body": Markup(_markdown(data["text/markdown"], trusted=False))}
    return {"kind": "text", "body": escape(data.get("text/plain", ""))}


def _image(mime: str, data: str, *, encode: bool = False) -> Markup:
    content = base64.b64encode(data.encode()).decode() if encode else "".join(data.split())
    return Markup('<img alt="An image made by the cell above." src="data:{};base64,{}">').format(mime, content)


class _Fetches(HTMLParser):
    """Collects what a browser would fetch: links of elements other than `a`, and URLs in styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_style = tag == "style"
        for name, value in attrs:
            text = (value or "").strip()
            followed = name in _FETCHED and not (tag in ("a", "area") and name == "href")
            if (followed and text and not text.startswith(("data:", "#"))) or (
                name == "style" and _FETCHED_CSS.search(text)
            ):
                self.found.append(f"<{tag} {name}={text[:80]!r}>")

    def handle_endtag(self, tag: str) -> None:
        self._in_style = self._in_style and tag != "style"

    def handle_data(self, data: str) -> None:
        if self._in_style and _FETCHED_CSS.search(data):
            self.found.append("a style with url() or @import")


def _refuse_what_is_fetched(document: str) -> None:
    reader = _Fetches()
    reader.feed(document)
    reader.close()
    if reader.found:
        raise ReportError(
            f"the page would fetch {reader.found[0]}; an archived page must hold all that it shows "
            "(charts: call evalkit.charts.enable() in the set-up cell; images: as data: URIs)"
        )
