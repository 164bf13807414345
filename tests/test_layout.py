"""The house: imports go one way, nothing heavy is loaded before it is needed, and each library has one door."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "evalkit"

# Ground first. A module imports only from floors below its own; modules of one package may import one another.
FLOORS = (
    ("errors", "exits", "home", "lean", "loops", "commits"),
    ("transcript", "folding", "documents", "written", "shown", "packed", "stats"),
    ("negation", "card"),
    ("patterns", "cases", "settings", "rubrics"),
    ("quarantine", "amendments"),
    ("suite",),
    ("sampling", "changes"),
    ("sandbox",),
    ("reading", "sentences", "shootout", "knowledge", "offline"),
    ("loading", "client"),
    ("store", "checks", "manifest"),
    ("archive", "dialogue"),
    ("fingerprint",),
    ("grading",),
    ("labels",),
    ("plan", "rows"),
    ("tables", "importers"),
    ("runs", "exporting", "bands", "flaking", "gate", "baselines"),
    ("graded",),
    ("measurement",),
    ("trust",),
    ("graded_scores", "calibration", "quarantining", "summary"),
    ("linter", "runner", "progress", "safety", "routing", "laboratory", "marks", "talk", "states", "why", "forecast"),
    ("playing", "rerun", "scores", "missing", "figures", "reader", "findings", "reliability"),
    ("recommend", "boards", "cards", "charts", "disagreements"),
    (
        "purposes",
        "marked_text",
        "check_cards",
        "curves",
        "agreement_cards",
        "agreement_charts",
        "calibration_charts",
        "noise_charts",
    ),
    ("conversation_cards",),
    ("transcript_cards",),
    ("views",),
    ("report", "schema"),
    ("cli",),
)
FLOOR = {module: height for height, floor in enumerate(FLOORS) for module in floor}
HEAVY = ("litellm", "papermill", "sklearn", "altair", "pandas", "polars", "scipy", "numpy", "nbconvert")


def top(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Every module that a file imports, at its top or inside a function, by its full name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= (
                {f"{node.module}.{alias.name}" for alias in node.names} if node.module == "evalkit" else {node.module}
            )
    return found


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def test_every_module_has_its_floor() -> None:
    assert {top(path) for path in modules()} == set(FLOOR)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_floors_below_its_own(path: Path) -> None:
    own = top(path)
    for name in sorted(imports(path)):
        if name.split(".")[0] != "evalkit" or name == "evalkit":
            continue
        other = name.split(".")[1]
        assert other == own or FLOOR[other] < FLOOR[own], (
            f"{own} (floor {FLOOR[own]}) imports {other} (floor {FLOOR[other]})"
        )


@pytest.mark.parametrize(
    ("library", "doors"),
    [
        ("litellm", {"client", "offline"}),
        ("papermill", {"report"}),
        ("nbconvert", {"report"}),
        ("re2", {"patterns"}),
        ("ruamel", {"documents"}),
        ("yaml", {"documents"}),
        ("sqlite3", {"store"}),
    ],
)
def test_a_library_is_imported_behind_its_own_door_alone(library: str, doors: set[str]) -> None:
    users = {top(path) for path in modules() if any(name.split(".")[0] == library for name in imports(path))}
    assert users
    assert users <= doors


@pytest.mark.parametrize("arguments", [["--help"], ["check", "cases"]])
def test_the_command_line_loads_nothing_heavy_before_it_needs_it(arguments: list[str]) -> None:
    code = f"import sys; from evalkit.cli import app; app({arguments!r}, standalone_mode=False); print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=False)
    loaded = ast.literal_eval(done.stderr.strip().splitlines()[-1])
    assert not set(HEAVY) & set(loaded)


def test_modules_stay_short() -> None:
    long = {str(path.relative_to(PACKAGE)): n for path in modules() if (n := len(path.read_text().splitlines())) > 300}
    assert not long


def test_the_package_offers_the_names_that_notebooks_use_and_nothing_else() -> None:
    import evalkit

    assert evalkit.__all__ == ["EvalkitError", "Reply", "Run", "ToolCall", "load_run", "load_suite", "run"]
    assert all(getattr(evalkit, name) for name in evalkit.__all__)


def test_the_packages_that_scripts_rely_on_are_reached_from_the_top() -> None:
    code = "import evalkit; print(evalkit.gate.decide.__name__, evalkit.stats.noise.band.__name__, hasattr(evalkit.stats, 'none'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True)
    assert done.stdout.split() == ["decide", "band", "False"]


@pytest.mark.parametrize(
    "code", ["from evalkit import charts; charts.enable(); import altair", "from evalkit import report; report.report"]
)
def test_no_page_waits_for_grammars_that_it_does_not_need(code: str) -> None:
    said = f"{code}; import sys; print('lark' in sys.modules, 'jsonschema' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, cwd=PACKAGE.parent, check=True)
    assert done.stdout.split()[-2:] == ["False", "True"]
