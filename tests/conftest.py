"""A small suite in a folder of its own, and the shipped one."""

from __future__ import annotations

import fcntl
import os
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine: a red test is red for everybody.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")

ROOT = Path(__file__).parents[1]
Write = Callable[..., Path]

SUITE = {
    "suite.yaml": """
        name: corner-shop
        strata: [orders, account]
    """,
    "patterns.yaml": """
        refund: ['refund(s|ed|ing)?', 'money back']
        passed on: ['pass(ing|ed)? (this|it) (on )?to']
        two days:
          any: ['(two|2) (working )?days', '48 hours']
          matches: ['It takes 48 hours.']
          misses: ['It takes two weeks.']
    """,
    "knowledge/delivery.md": """
        # Delivery times

        A parcel is delivered within two days. A parcel can be followed on the order page.
    """,
    "knowledge/passwords.md": """
        # Passwords

        A new password is set on the sign-in page. The link for it is valid for one hour.
    """,
    "prompts/desk.md": """
        You answer tickets. Begin with ROUTE: direct or ROUTE: escalate.
    """,
    "tickets/orders.yaml": """
        - id: ORD-1
          stratum: orders
          ticket: {subject: Where is my parcel?, body: When is my parcel delivered please}
          expected_handling: direct
          must_include: [two days]
          must_not_include: [refund]
        - id: ORD-2
          stratum: orders
          risk: safety
          ticket: {body: I will dispute this charge with my bank.}
          expected_handling: escalate
        - id: ACC-1
          stratum: account
          ticket: {subject: Password, body: How do I set a new password}
          expected_handling: direct
    """,
    "shootouts/small.yaml": """
        name: small
        trials: 2
        candidates:
          - {name: steady, model: offline/agent, prompt: desk.md, knowledge: {top: 2}, temperature: 0.3,
             price: {input: 1.0, output: 2.0}}
          - {name: bold, model: offline/agent, prompt: desk.md, knowledge: {top: 1}, params: {escalate_at: 2.0},
             price: {input: 1.0, output: 2.0}}
    """,
}


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the store of whoever runs the tests."""
    monkeypatch.setenv("EVALKIT_STORE", str(tmp_path / "store" / "evalkit.sqlite"))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a suite's files, dedented, below a folder; a value of None leaves a file of the small suite out."""

    def write(changes: dict[str, str | bytes | None] | None = None, *, base: bool = True, folder: str = "shop") -> Path:
        root = tmp_path / folder
        for name, text in {**(SUITE if base else {}), **(changes or {})}.items():
            if text is None:
                continue
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode())
        return root

    return write


@pytest.fixture
def shop(write: Write) -> Path:
    """The small suite's folder."""
    return write()


@pytest.fixture(scope="session")
def default_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the default shootout is played whole: two minutes that several tests need. Copy it."""
    import evalkit

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    path = shared / "default" / "evalkit.sqlite"
    path.parent.mkdir(exist_ok=True)
    with (path.parent / "lock").open("w") as lock:
        # One process plays; the others wait, and then find nothing left to play.
        fcntl.flock(lock, fcntl.LOCK_EX)
        evalkit.run(ROOT / "cases/shootouts/offline.yaml", store=path, quiet=True)
    return path


@pytest.fixture(scope="session")
def clean_environment() -> dict[str, str]:
    """The environment for a process of its own: nothing of a user's keys or store."""
    return {name: value for name, value in os.environ.items() if not name.startswith("EVALKIT") and "KEY" not in name}
