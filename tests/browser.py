"""A headless Chromium that reaches no host, for tests that look at a page as a reader would."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@dataclass
class Opened:
    """A page and what it did while it was open."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Browser:
    """A running browser; `open` shows a file in a fresh context."""

    chromium: Any

    @contextmanager
    def open(self, file: Path, *, width: int = 1280, height: int = 900, scripts: bool = True) -> Iterator[Opened]:
        """The page of `file`, with every request to a host refused and recorded, and all complaints kept."""
        context = self.chromium.new_context(
            viewport={"width": width, "height": height}, java_script_enabled=scripts, service_workers="block"
        )
        opened = Opened(context.new_page())

        def refuse(route: Any) -> None:
            opened.requests.append(route.request.url)
            route.abort()

        def dismiss(dialog: Any) -> None:
            opened.dialogs.append(dialog.message)
            dialog.dismiss()

        context.route(lambda url: not url.startswith(("file:", "data:", "blob:")), refuse)
        context.route_web_socket(lambda _: True, lambda socket: opened.requests.append(socket.url))
        opened.page.on("console", lambda m: m.type in ("error", "warning") and opened.complaints.append(m.text))
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        opened.page.on("dialog", dismiss)
        try:
            opened.page.goto(file.resolve().as_uri())
            yield opened
        finally:
            context.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium; the test is skipped, with the reason, where there is none.

    It does not live longer than a module, since playwright keeps an event loop running beside it.
    """
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser on PATH (looked for {', '.join(_NAMES)})")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, headless=True, args=list(_FLAGS))
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


def wait_until_drawn(opened: Opened) -> None:
    """Returns when no chart of the page is still being drawn."""
    opened.page.wait_for_function(
        "() => [...document.querySelectorAll('.ek-figure')].every((f) => ['drawn', 'failed'].includes(f.dataset.state))"
    )
