"""The eight real product cases of ../shared/data/gumroad_helper_cases, written as a suite of evalkit's."""

from __future__ import annotations

import json
from pathlib import Path

DATA = Path(__file__).parents[2] / "shared/data/gumroad_helper_cases/cases.json"
CARD = (
    "You are a helpful customer support assistant for Gumroad. Answer with a card. The first line is ROUTE: direct if you can "
    "answer, or ROUTE: escalate if a person must help. Then an empty line. Then your reply to the customer.\n\n"
    "Example:\n\nROUTE: direct\n\nYou can change your price under Pricing."
)
BRIEF = "First line: ROUTE: direct or ROUTE: escalate. Then an empty line and a short reply. Escalate if the customer asks for a human."
# What the authors' golden answers say, as concepts.
FACTS = {
    "kb-what-are-the-fees-for-gumroad": ["10%", "2.9% + 30¢"],
    "kb-how-do-refunds-work-on-gumroad": ["180 days", "receipt email"],
    "kb-how-do-i-update-my-email-address": ["account information"],
    "kb-does-gumroad-handle-sales-tax": ["merchant of record"],
}


def write_suite(folder: Path, shootout: str) -> Path:
    """Write the suite into a folder and return its shootout's file."""
    data = json.loads(DATA.read_text("utf-8"))
    articles = dict.fromkeys(entry for entries in data["knowledge"].values() for entry in entries)
    files = {
        "suite.yaml": "name: gumroad-helper-cases\ndescription: Eight cases of antiwork/helper (MIT), transcribed.\n",
        "prompts/card.md": CARD,
        "prompts/brief.md": BRIEF,
        "shootouts/gumroad.yaml": shootout,
        "real/cases.json": json.dumps([_case(each) for each in data["cases"]], ensure_ascii=False, indent=1),
        **{
            f"knowledge/{number:02}.md": f"# {entry.split('.')[0][:60]}\n\n{entry}\n"
            for number, entry in enumerate(articles)
        },
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder / "shootouts/gumroad.yaml"


def _case(each: dict) -> dict:
    escalates = each["expected_handling"] == "escalate"
    said = [f"{who}: {text}" if len(each["messages"]) > 1 else text for who, text in each["messages"]]
    return {
        "id": each["id"],
        "group": each["group"],
        "ticket": {"body": "\n".join(said)},
        "reference": {"golden_answer": each["expected"]},
        "expected_handling": each["expected_handling"],
        "risk": "safety" if escalates else "normal",
        "must_include": FACTS.get(each["id"], []),
    }
