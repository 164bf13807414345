"""What a trial is made of: each part that could change it changes its fingerprint, and nothing else does."""

from pathlib import Path

import pytest

from evalkit import fingerprint as module
from evalkit.cases import Case
from evalkit.dialogue import seed_of, ticket_messages
from evalkit.fingerprint import canonical, fingerprint, identity, trial_parts
from evalkit.knowledge import Retrieval
from evalkit.loading import check_files
from evalkit.plan import plan
from evalkit.shootout import Candidate
from evalkit.suite import Suite

CASE = {
    "id": "A",
    "stratum": "s",
    "expected_handling": "direct",
    "ticket": {"subject": "S", "body": "B", "account": {"plan": "free"}},
}
CANDIDATE = {
    "name": "one", "model": "offline/agent", "prompt": "p.md", "knowledge": {"top": 2}, "temperature": 0.5, "top_p": 0.9,
    "max_tokens": 100, "seed": 7, "params": {"sentences": 2}, "api_base": "http://127.0.0.1:1/v1", "salt": "x",
}  # fmt: skip
FILES = {
    "prompts/p.md": "Be kind.",
    "knowledge/a.md": "# A\nText.",
    "suite.yaml": "eval_mode_tag: '[EVAL MODE]'\n",
}


def suite(files: dict[str, str]) -> Suite:
    checked = check_files({name: text.encode() for name, text in files.items()}, name="suite")
    assert checked.suite is not None, checked.faults
    return checked.suite


def key(
    case: dict | None = None,
    candidate: dict | None = None,
    files: dict[str, str] | None = None,
    number: int = 0,
) -> str:
    read = suite({**FILES, **(files or {})})
    parts = trial_parts(
        Case.model_validate({**CASE, **(case or {})}, strict=False),
        Candidate.model_validate({**CANDIDATE, **(candidate or {})}),
        read,
        Retrieval(read.articles),
    )
    return fingerprint(parts, number)


@pytest.mark.parametrize(
    "change",
    [
        {"number": 1},
        {"case": {"id": "B"}},
        {"case": {"ticket": {"subject": "S!", "body": "B", "account": {"plan": "free"}}}},
        {"case": {"ticket": {"subject": "S", "body": "B!", "account": {"plan": "free"}}}},
        {"case": {"ticket": {"subject": "S", "body": "B", "account": {"plan": "pro"}}}},
        {"candidate": {"model": "openai/gpt-4.1-mini"}},
        {"candidate": {"api_base": "http://127.0.0.1:2/v1"}},
        {"candidate": {"api_base": None}},
        {"candidate": {"temperature": 0.6}},
        {"candidate": {"temperature": None}},
        {"candidate": {"top_p": 0.8}},
        {"candidate": {"max_tokens": 101}},
        {"candidate": {"seed": 8}},
        {"candidate": {"params": {"sentences": 3}}},
        {"candidate": {"params": {"stop": ["x"]}}},
        # The order in which the agent is told of the account, and that of a schema's properties.
        {"case": {"ticket": {"subject": "S", "body": "B", "account": {"plan": "free", "since": "2024"}}}},
        {"case": {"ticket": {"subject": "S", "body": "B", "account": {"since": "2024", "plan": "free"}}}},
        {"candidate": {"salt": "y"}},
        {"candidate": {"knowledge": {"top": 3}}},
        {"candidate": {"knowledge": None}},
        {"candidate": {"prompt": None}},
        {"files": {"prompts/p.md": "Be brief."}},
        {"files": {"knowledge/a.md": "# A\nOther text."}},
        {"files": {"knowledge/b.md": "# B\nText."}},
        {"files": {"suite.yaml": "eval_mode_tag: '[TEST]'\n"}},
    ],
    ids=str,
)
def test_whatever_could_change_a_trial_changes_its_fingerprint(change: dict) -> None:
    assert key(**change) != key()


@pytest.mark.parametrize(
    "change",
    [
        {"candidate": {"name": "another"}},
        {"candidate": {"price": {"input": 1.0, "output": 2.0}}},
        {"candidate": {"api_key_env": "OTHER_KEY"}},
        {"case": {"must_include": ["refund"]}},
        {"case": {"must_not_include": ["refund"]}},
        {"case": {"expected_handling": "escalate", "escalate_to": "dev"}},
        {"case": {"risk": "safety", "must_pass": True, "owner": "kim", "stratum": "t"}},
        {"case": {"reference": {"human_reply": "x", "golden_answer": "y"}}},
        {"files": {"suite.yaml": "eval_mode_tag: '[EVAL MODE]'\npoints: {fact_present: 5}\nname: other\n"}},
        {"files": {"patterns.yaml": "refund: ['refunds?']\n"}},
        {"files": {"prompts/unused.md": "Nobody reads this."}},
    ],
    ids=str,
)
def test_names_prices_weights_and_expectations_change_no_fingerprint(change: dict) -> None:
    assert key(**change) == key()


def test_the_order_of_what_is_told_and_sent_counts() -> None:
    one, two = (
        {"ticket": {"body": "B", "account": dict(pairs)}} for pairs in ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)])
    )
    assert key(case=one) != key(case=two)
    one, two = ({"params": {"schema": dict(pairs)}} for pairs in ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)]))
    assert key(candidate=one) != key(candidate=two)


def test_an_address_from_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = {"candidate": {"model": "openai/gpt-4.1-mini", "api_base": None}}
    before = key(**hosted)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert key(**hosted) != before


def test_what_an_agent_is_told_of_a_ticket_is_pinned_to_the_protocol() -> None:
    # Whoever changes these words raises PROTOCOL, so that no old trial is read as an answer to the new ones.
    read = suite(FILES)
    told = ticket_messages(
        Case.model_validate(CASE).ticket, Candidate.model_validate(CANDIDATE), read, Retrieval(read.articles)
    )
    assert (module.PROTOCOL, [message.text for message in told]) == (
        1,
        ["Be kind.\n\n# Help-centre articles\n\n## A\nText.", "[EVAL MODE]\nAccount plan: free\nSubject: S\n\nB"],
    )


def test_a_salted_offline_candidate_draws_other_seeds() -> None:
    case = Case.model_validate(CASE)
    one, two = (Candidate(name="x", model="offline/agent", salt=salt) for salt in (None, "b"))
    assert seed_of(one, case, 0) != seed_of(two, case, 0)


def test_the_provider_source_counts_for_offline_models_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = {"candidate": {"model": "openai/gpt-4.1-mini"}}
    before = key(), key(**hosted)
    monkeypatch.setattr(module, "offline_source", lambda: "another source")
    assert (key() != before[0], key(**hosted) == before[1]) == (True, True)


def test_the_protocol_version_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(module, "PROTOCOL", module.PROTOCOL + 1)
    assert key() != before


def test_the_identity_is_the_fingerprint_without_the_number() -> None:
    read = suite(FILES)
    parts = trial_parts(Case.model_validate(CASE), Candidate.model_validate(CANDIDATE), read, Retrieval(read.articles))
    assert identity(parts) not in {fingerprint(parts, 0), fingerprint(parts, 1)}


def test_canonical_json_has_one_form_and_no_nan() -> None:
    assert canonical({"b": 1, "a": [True, None, "é"]}) == '{"a":[true,null,"é"],"b":1}'
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


def test_the_offline_source_is_that_of_every_module_of_the_provider() -> None:
    folder = Path(module.__file__).parent / "offline"
    assert {path.name for path in folder.glob("*.py")} >= {"agent.py", "provider.py", "signals.py"}
    assert len(module.offline_source()) == 64


TALK = """
- id: TALK
  persona: Calm
  goal: A refund
  fixtures: [orders/1.json]
  expect: {outcome: resolved}
- {id: TICKET, ticket: {body: Hi}, expected_handling: direct}
"""
DESK = '''
from evalkit.sandbox import Records, write


@write(changes=["ticket"])
def close(records: Records) -> dict:
    """Close the ticket."""
    records["ticket"]["status"] = "resolved"
    return {}
'''
SHOOTOUT = (
    "name: s\ncustomer: {model: offline/customer, temperature: 0.5}\ncandidates: [{name: a, model: offline/agent}]\n"
)
TALK_FILES = {
    "cases.yaml": TALK,
    "tools/desk.py": DESK,
    "fixtures/orders/1.json": '{"customer": "C-1"}',
    "suite.yaml": "name: s\ntoday: 2026-11-16\npolicy: {refund_limit_usd: 100}\n",
    "shootouts/s.yaml": SHOOTOUT,
}


@pytest.mark.parametrize(
    ("change", "replayed"),
    [
        ({"tools/desk.py": DESK + "\n# a comment\n"}, {"TALK"}),
        ({"fixtures/orders/1.json": '{"customer": "C-2"}'}, {"TALK"}),
        ({"suite.yaml": TALK_FILES["suite.yaml"].replace("100", "99")}, {"TALK"}),
        ({"suite.yaml": TALK_FILES["suite.yaml"].replace("11-16", "11-17")}, {"TALK"}),
        ({"suite.yaml": TALK_FILES["suite.yaml"].replace("100}", "100, turn_limit: 5}")}, {"TALK"}),
        ({"shootouts/s.yaml": SHOOTOUT.replace("0.5", "0.6")}, {"TALK"}),
        ({"cases.yaml": TALK.replace("persona: Calm", "persona: Curt")}, {"TALK"}),
        ({"cases.yaml": TALK.replace("body: Hi", "body: Hello")}, {"TICKET"}),
        ({"cases.yaml": TALK.replace("outcome: resolved", "outcome: refused, tools_forbidden: [close]")}, set()),
        ({"suite.yaml": TALK_FILES["suite.yaml"] + "private: {orders: [id]}\npoints: {fact_present: 2}\n"}, set()),
        ({"shootouts/s.yaml": SHOOTOUT.replace("0.5}", "0.5, price: {input: 1, output: 1}}")}, set()),
    ],
)
def test_what_a_conversation_is_made_of_replays_it_and_nothing_else(
    write, change: dict[str, str], replayed: set[str]
) -> None:
    def fingerprints(files: dict[str, str]) -> dict[str, str]:
        return {slot.case: slot.fingerprint for slot in plan(write(files, base=False) / "shootouts/s.yaml").slots}

    before, after = fingerprints(TALK_FILES), fingerprints({**TALK_FILES, **change})
    assert {case for case in before if before[case] != after[case]} == replayed
