"""Charts as markup: one live drawing, one static image, and the scripts that a page needs once.

A report's notebook emits the bare specification, which `pages` turns into a figure. JupyterLab knows no
current Vega-Lite and its default renderer wants the network, so there each chart is a figure of its own,
drawn by the bundle that the set-up cell puts on the page.
"""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from evalkit.errors import ReportError
from evalkit.lean import spare_grammars

MIME = "application/vnd.vegalite.v6+json"
# The styles of what cells show, in a report as in JupyterLab.
PARTS = ("parts.css", "cases.css", "talk.css", "agreement.css")
# Narrow enough to be read on a phone, where the image is scaled down.
STATIC_WIDTH = 480


def page_file(name: str) -> str:
    """The text of a file of the page's folder."""
    return (files("evalkit") / "page" / name).read_text(encoding="utf-8")


@cache
def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that may run twice on a page."""
    import vl_convert

    return "(() => { if (window.vegaEmbed) return;\n" + vl_convert.javascript_bundle() + "\n})();"


def enable() -> None:
    """Makes Altair charts show without the network; called once by a notebook's set-up cell.

    In a report (EVALKIT_REPORT=1) a chart's output is its specification; elsewhere it is a drawing, and the
    scripts and styles for all of them are put on the page here.
    """
    spare_grammars()
    import altair

    altair.renderers.register("evalkit", _renderer)
    altair.renderers.enable("evalkit")
    if not os.environ.get("EVALKIT_REPORT"):
        from IPython.display import HTML, display

        styles = f"<style>{''.join(map(page_file, PARTS))}</style>"
        scripts = f"<script>{bundle()}\n{page_file('draw.js')}</script>"
        display(HTML(styles + scripts))


def _renderer(spec: dict[str, Any], **_options: Any) -> dict[str, Any]:
    text = f"<Chart: {spec.get('description', 'no description')}>"
    if os.environ.get("EVALKIT_REPORT"):
        return {MIME: spec, "text/plain": text}
    draw = "<script>window.evalkitDraw && window.evalkitDraw(document)</script>"
    return {"text/html": figure(spec) + draw, "text/plain": text}


def figure(spec: Mapping[str, Any], svg: str | None = None) -> str:
    """A chart as an HTML figure, drawn by `draw.js`; the image stands for it without scripts and in print."""
    described = html.escape(str(spec.get("description") or "A chart; its numbers stand in the table beside it."))
    image = ""
    if svg is not None:
        data = base64.b64encode(svg.encode()).decode()
        image = f'<img class="ek-static" alt="{described}" src="data:image/svg+xml;base64,{data}">'
    return (
        f'<figure class="ek-figure"><div class="ek-live"></div>{image}'
        f'<script type="application/json">{script_json(spec)}</script></figure>'
    )


def script_json(value: Any) -> str:
    """`value` as JSON that holds no markup, so that no text in it can end the script that carries it.

    Raises ReportError where it holds NaN or infinity, which no browser reads as JSON.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise ReportError("a chart holds NaN or infinity; fill them with null first") from error
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def static_svg(spec: Mapping[str, Any]) -> str:
    """The chart as an SVG image, `STATIC_WIDTH` pixels wide where its width follows its container.

    Raises ReportError where it cannot be drawn, or reads its data from somewhere else.
    """
    import vl_convert

    fixed = dict(spec)
    if fixed.get("width") == "container":
        fixed["width"] = STATIC_WIDTH
    try:
        return vl_convert.vegalite_to_svg(fixed, allowed_base_urls=[])
    except ValueError as error:
        reason = str(error).strip().splitlines()[1:2] or [str(error)]
        raise ReportError(f"a chart cannot be drawn: {reason[0]}") from error
