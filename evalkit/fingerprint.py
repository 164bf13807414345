"""What a trial is made of: the hash of everything that could change it, and nothing else."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from evalkit.cases import Case
from evalkit.client import api_base_of, spec_of
from evalkit.dialogue import CUSTOMER_RULES
from evalkit.knowledge import Retrieval
from evalkit.shootout import Candidate, Role
from evalkit.suite import Suite

# Raised whenever dialogue.py says something else to an agent, or reads its answer differently.
PROTOCOL = 1
# The id is among them: an offline model's seed is made of it.
SEEN_BY_THE_PLAY = {"id", "ticket", "persona", "goal", "hidden_facts", "fixtures"}


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no white space, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value, in hexadecimal."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def trial_parts(
    case: Case, candidate: Candidate, suite: Suite, retrieval: Retrieval, customer: Role | None = None
) -> dict[str, Any]:
    """All that could change a trial but its number, part by part; no name, price, timeout or expectation."""
    parts: dict[str, Any] = {
        "protocol": PROTOCOL,
        "eval_mode_tag": suite.settings.eval_mode_tag,
        "prompt": suite.prompt(prompt) if (prompt := candidate.prompts.get(case.kind)) else None,
        "model": candidate.model,
        "agent": [candidate.agent, candidate.version] if candidate.agent else None,
        "api_base": api_base_of(spec_of(candidate, candidate.model)) if candidate.model else None,
        # As written: the order of a schema's properties can change what a model says.
        "parameters": json.dumps(candidate.parameters, ensure_ascii=False),
        "salt": candidate.salt,
        "knowledge": [candidate.knowledge.top, retrieval.index_hash] if candidate.knowledge else None,
        "case": _seen(case),
    }
    models = [candidate.model or ""]
    if case.kind == "conversation":
        parts |= _conversation_parts(case, candidate, suite, retrieval, customer)
        models.append(customer.model if customer else "")
    if any(model.startswith("offline/") for model in models):
        parts["provider"] = offline_source()
    return parts


def _conversation_parts(
    case: Case, candidate: Candidate, suite: Suite, retrieval: Retrieval, customer: Role | None
) -> dict[str, Any]:
    """What could change a conversation beside what could change a ticket."""
    return {
        "tools": {path: text for path, text in sorted(suite.files.items()) if path.startswith("tools/")},
        "tool_calls": candidate.tools,
        "records": {fixture: suite.files.get(f"fixtures/{fixture}") for fixture in case.fixtures},
        "policy": suite.settings.policy.model_dump(mode="json"),
        "today": str(suite.settings.today),
        # A tool may search all of them.
        "articles": retrieval.index_hash,
        "customer": customer
        and {
            "model": customer.model,
            "api_base": api_base_of(spec_of(customer, customer.model)),
            "parameters": json.dumps(customer.parameters, ensure_ascii=False),
            "rules": CUSTOMER_RULES,
        },
    }


def fingerprint(parts: dict[str, Any], number: int) -> str:
    """The key under which trial `number` of these parts is kept."""
    return sha256({**parts, "number": number})


def identity(parts: dict[str, Any]) -> str:
    """The fingerprint without the trial's number."""
    return sha256(parts)


@cache
def offline_source() -> str:
    """SHA-256 of the embedded provider's source, and of the folding that it reads by."""
    sources = {
        f"{package}/{entry.name}": entry.read_text("utf-8")
        for package in ("folding", "offline")
        for entry in files(f"evalkit.{package}").iterdir()
        if entry.name.endswith(".py")
    }
    return sha256(sources)


def _seen(case: Case) -> dict[str, Any]:
    """What of a case the play sees; an account's lines stand in the order in which the agent is told them."""
    language = {"language"} if case.kind == "conversation" else set()
    seen = case.model_dump(mode="json", include=SEEN_BY_THE_PLAY | language)
    if seen.get("ticket"):
        seen["ticket"]["account"] = [[key, value] for key, value in seen["ticket"]["account"].items()]
    return seen
