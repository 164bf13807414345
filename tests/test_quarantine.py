"""The quarantine and the amendments: what is read, every fault with its line, and the commands that write."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evalkit.amendments import amendments_of
from evalkit.cli import app
from evalkit.commits import commit, commit_signed
from evalkit.documents.editing import appended, is_blank
from evalkit.errors import CaseError
from evalkit.loading import load_suite
from evalkit.quarantine import Quarantined, SignOff, expired_entries, quarantine_of, signed_off
from evalkit.store import Slot, Store
from tests.handmade import DIRECT, HANDOFF, trial

TODAY = date.today()
LATER = (TODAY + timedelta(days=11)).isoformat()
CASES = """
    - {id: ORD-1, stratum: orders, must_pass: true, owner: Priya Nair, ticket: {body: Hi}, expected_handling: direct}
    - {id: ORD-2, stratum: orders, ticket: {body: Hi}, expected_handling: direct}
    - {id: ORD-3, stratum: orders, must_pass: true, ticket: {body: Hi}, expected_handling: direct}
    - {id: ORD-4, stratum: orders, must_pass: true, ticket: {body: Hi}, expected_handling: direct}
"""
ENTRY = f"{{case: ORD-1, owner: Priya Nair, reason: the date, since: 2026-11-20, fix_by: {LATER}}}"
SHA = "4f9c2ab0" * 5


def entry(**changes: object) -> Quarantined:
    given = {"case": "A", "owner": "Kim", "reason": "x", "since": "2026-11-20", "fix_by": "2026-12-11", **changes}
    return Quarantined.model_validate_json(json.dumps(given))


def signed(who: str, sha: str, when: str = "2026-11-30") -> dict[str, str]:
    return {"who": who, "commit": sha, "when": when}


def faults(write, file: str, text: str) -> list[str]:
    with pytest.raises(CaseError) as caught:
        load_suite(write({"tickets/orders.yaml": CASES, file: text}))
    return [f"{Path(each.file).name}:{each.line}: {each.where}: {each.message}" for each in caught.value.faults]


# Read


def test_a_quarantine_is_read_by_its_cases(write) -> None:
    text = f"""
        # flaking
        - case: ORD-1
          owner: Priya Nair
          reason: >-
            the date of the parcel
            flakes
          since: 2026-11-20
          fix_by: {LATER}
          sign_offs: [{{who: Priya Nair, commit: 4F9C2AB, when: 2026-11-30}}]
    """
    suite = load_suite(write({"tickets/orders.yaml": CASES, "quarantine.yaml": text}))
    found = suite.quarantine["ORD-1"]
    assert (found.owner, found.reason, found.since) == (
        "Priya Nair",
        "the date of the parcel flakes",
        date(2026, 11, 20),
    )
    assert found.sign_offs == (SignOff(who="Priya Nair", commit="4f9c2ab", when=date(2026, 11, 30)),)
    assert list(suite.quarantine) == ["ORD-1"]


@pytest.mark.parametrize("text", ["", "\n", "# nobody yet\n\n  # really\n", "[]\n", "\ufeff# nobody\r\n"])
def test_a_list_that_nobody_wrote_to_is_empty(write, text: str) -> None:
    suite = load_suite(write({"quarantine.yaml": text.encode(), "amendments.yaml": text.encode()}))
    assert (dict(suite.quarantine), suite.amendments) == ({}, ())


def test_a_suite_without_either_has_none(shop: Path) -> None:
    assert (dict(load_suite(shop).quarantine), load_suite(shop).amendments) == ({}, ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {case: NO-1, owner: K, reason: x, since: 2026-11-20, fix_by: 2026-12-11}", "quarantine.yaml:1: NO-1: is in quarantine and no case of the suite; mend its id, or take the entry out"),
        ("- {case: ORD-2, owner: K, reason: x, since: 2026-11-20, fix_by: 2026-12-11}", "quarantine.yaml:1: ORD-2: is in quarantine and not must_pass: its failure blocks nothing; take the entry out"),
        (f"- {ENTRY}\n\n- {ENTRY}", "quarantine.yaml:3: ORD-1: stands in quarantine twice, first on line 1; keep one entry"),
        ("- {case: ORD-1, owner: K, reason: x, since: 2026-11-20, fix_by: 2026-11-19}", "quarantine.yaml:1: ORD-1: fix_by 2026-11-19 is before since 2026-11-20; write a later day"),
        ("- case: ORD-1\n  owner: K\n  reason: x\n  since: 2026-11-20\n  fix_by: 2026-12-11\n  sign_offs:\n  - {who: Jo, commit: abcdef1, when: 2026-11-30}", "quarantine.yaml:7: ORD-1: Jo signed off, and only its owner may: K; take the sign-off out"),
        ("- {case: ORD-1, owner: K, reason: x, since: 2026-11-20, fix_by: 2026-12-11, sign_offs: [{who: K, commit: 1234567, when: 2026-11-30}]}", "quarantine.yaml:1: ORD-1: sign_offs.0.commit: a commit that is all digits is read as a number; put it in quotes"),
        ("- {case: ORD-1, owner: K, reason: x, since: 2026-11-20, fix_by: 2026-12-11, sign_offs: [{who: K, commit: abc, when: 2026-11-30}]}", "quarantine.yaml:1: ORD-1: sign_offs.0.commit: \"abc\" does not fit ^[0-9a-fA-F]{7,64}$"),
        ("- {case: ORD-1, owner: K, reason: x, since: soon, fix_by: 2026-12-11}", "quarantine.yaml:1: ORD-1: since: input should be a valid date"),
        ("- {case: ORD-1, owner: K, reason: x, since: 2026-11-20}", "quarantine.yaml:1: ORD-1: 'fix_by' is missing"),
        ("- {case: ORD-1, owner: K, reason: x, since: 2026-11-20, fix_bye: 2026-12-11}", "did you mean 'fix_by'?"),
        ('- {case: ORD-1, owner: K, reason: "\\e[31m", since: 2026-11-20, fix_by: 2026-12-11}', "cannot be printed"),
        ("case: ORD-1", "quarantine.yaml:1: : a list is needed"),
        ("- ORD-1", "a mapping is needed"),
        ("- [", "quarantine.yaml:1: "),
    ],
)  # fmt: skip
def test_every_fault_of_a_quarantine_has_its_line(write, text: str, said: str) -> None:
    assert any(said in each for each in faults(write, "quarantine.yaml", text)), faults(write, "quarantine.yaml", text)


def test_all_faults_are_told_at_once_and_a_faulty_case_is_not_unknown(write) -> None:
    found = faults(
        write,
        "quarantine.yaml",
        "- {case: NO-1, owner: K, reason: x, since: 2026-11-20, fix_by: 2026-11-19}\n- {case: ORD-2, owner: K}",
    )
    assert len([each for each in found if "ORD-2" in each and "is missing" in each]) == 3
    assert any("is before since" in each for each in found)
    broken = CASES.replace("must_pass: true, owner: Priya Nair", "must_pas: true")
    with pytest.raises(CaseError) as caught:
        load_suite(write({"tickets/orders.yaml": broken, "quarantine.yaml": f"- {ENTRY}"}))
    assert ["must_pas" in each.message for each in caught.value.faults] == [True]


def test_one_file_holds_the_quarantine(write) -> None:
    files = {"tickets/orders.yaml": CASES, "quarantine.yaml": f"- {ENTRY}", "quarantine.yml": "[]"}
    with pytest.raises(CaseError, match=r"quarantine\.yaml is a quarantine too; keep one"):
        load_suite(write(files))


def test_amendments_are_read_in_their_order(write) -> None:
    text = """
        - {who: Kim, when: 2026-11-20, why: it is less now, what: [policy.refund_limit_usd, removed/ORD-9]}
        - {who: Jo, when: 2026-11-21, why: too strict, what: [disqualify_on]}
    """
    found = load_suite(write({"amendments.yaml": text})).amendments
    assert [(each.who, each.what) for each in found] == [
        ("Kim", ("policy.refund_limit_usd", "removed/ORD-9")),
        ("Jo", ("disqualify_on",)),
    ]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("[ponts.fact_missing]", "amendments.yaml:1: amendment 1: what.0: 'ponts.fact_missing' names nothing that can be amended; did you mean points.…?"),
        ("[ORD-1]", "write one of case/…, removed/…"),
        ("[case/]", "names nothing"),
        ("[]", "what: is empty"),
        ("[case/A]\n- {who: K}", "amendments.yaml:2: amendment 2: 'when' is missing"),
    ],
)  # fmt: skip
def test_every_fault_of_the_amendments_has_its_line(write, what: str, said: str) -> None:
    first, _, rest = what.partition("\n")
    found = faults(write, "amendments.yaml", f"- {{who: K, when: 2026-11-20, why: it is so, what: {first}}}\n{rest}")
    assert any(said in each for each in found), found


def test_a_faulty_file_of_a_snapshot_is_refused() -> None:
    with pytest.raises(CaseError, match="a list is needed"):
        quarantine_of({"quarantine.yaml": "a: b"})
    with pytest.raises(CaseError, match="a list is needed"):
        amendments_of({"amendments.yml": "a: b"})


# What it says


def test_an_entry_expires_on_the_day_after_its_last() -> None:
    found = entry(fix_by="2026-12-11")
    assert [found.expired(date(2026, 12, day)) for day in (10, 11, 12)] == [False, False, True]
    assert [found.days_left(date(2026, 12, day)) for day in (10, 11, 12)] == [1, 0, -1]


def test_a_sign_off_counts_for_its_commit_alone() -> None:
    found = entry(sign_offs=[signed("Kim", "1" * 40), signed("Kim", SHA[:7])])
    assert signed_off(found, [SHA]) == found.sign_offs[1]
    assert signed_off(found, [SHA.upper()]) == found.sign_offs[1]
    assert signed_off(found, ["2" * 40, "1" * 40]) == found.sign_offs[0]
    # Of two that count it is the last.
    assert signed_off(found, ["1" * 40, SHA]) == found.sign_offs[1]
    assert signed_off(found, ["2" * 40]) is None
    assert signed_off(found, [SHA[:6]]) is None
    assert signed_off(found, []) is None
    assert signed_off(entry(), [SHA]) is None


def test_a_sign_off_by_somebody_else_or_in_the_middle_of_a_commit_does_not_count() -> None:
    assert signed_off(entry(sign_offs=[signed("Jo", SHA)]), [SHA]) is None
    assert signed_off(entry(sign_offs=[signed("Kim", SHA[1:])]), [SHA]) is None


def test_an_entry_past_its_day_is_noticed_with_its_line() -> None:
    text = "# head\n- case: A\n  owner: Kim\n  reason: x\n  since: 2026-11-20\n  fix_by: 2026-12-11\n"
    assert expired_entries({"quarantine.yaml": text}, date(2026, 12, 11)) == []
    (notice,) = expired_entries({"quarantine.yaml": text}, date(2026, 12, 12), "cases")
    assert str(notice).startswith("cases/quarantine.yaml:6: A: is in quarantine past its day, 2026-12-11, and blocks")


def test_check_notices_what_is_past_its_day_and_stays_at_exit_0(write) -> None:
    old = ENTRY.replace(LATER, "2026-11-25").replace("2026-11-20", "2020-01-01").replace("2026-11-25", "2020-02-01")
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": f"- {old}"})
    said = evalkit("check", shop)
    assert "quarantine.yaml:1: ORD-1: is in quarantine past its day, 2020-02-01" in said


# Edited

ADDED = {"case": "B", "owner": "Kim", "since": date(2026, 11, 20)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "- case: B\n"),
        ("# nobody yet", "# nobody yet\n- case: B\n"),
        ("[]\n", "- case: B\n"),
        ("# head\n[]  # none\n", "# head\n# none\n- case: B\n"),
        ("- {case: A, owner: X}  # why\n# tail\n", "- {case: A, owner: X}  # why\n# tail\n- case: B\n"),
        ("# c\r\n- case: 'A' # x\r\n", "# c\r\n- case: 'A' # x\r\n- case: B\r\n"),
        ("- case: A\n  text: >-\n    one\n    two\n\n# end\n", "- case: A\n  text: >-\n    one\n    two\n\n# end\n- case: B\n"),
    ],
)  # fmt: skip
def test_an_entry_is_added_and_all_comments_stay(before: str, after: str) -> None:
    assert appended("q.yaml", before, (), {"case": "B"}) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "- case: A\n  owner: X # o\n\n# next\n- case: C\n",
            "- case: A\n  owner: X # o\n  sign_offs:\n  - {who: X, commit: \"1234567\"}\n\n# next\n- case: C\n",
        ),
        (
            "- case: A\n  sign_offs:\n  # first\n  - {who: X, commit: abcdef1} # ok\n# next\n- case: C\n",
            "- case: A\n  sign_offs:\n  # first\n  - {who: X, commit: abcdef1} # ok\n"
            "  - {who: X, commit: \"1234567\"}\n# next\n- case: C\n",
        ),
        ("- {case: A}\n# next\n- {case: C, x: 1}\n", "- {case: A, sign_offs: [{who: X, commit: \"1234567\"}]}\n# next\n- {case: C, x: 1}\n"),
    ],
)  # fmt: skip
def test_a_sign_off_is_added_to_its_entry_and_what_stands_below_stays_below(before: str, after: str) -> None:
    assert appended("q.yaml", before, (0, "sign_offs"), {"who": "X", "commit": "1234567"}) == after


@pytest.mark.parametrize(
    "value", ["1234567", "1e5", "0123", "no", "a: b", "# x", "- y", "'", '"', "ünï — x", "{", "@a", "%"]
)
def test_whatever_is_written_is_read_back_as_it_was(value: str) -> None:
    # The function itself reads what it wrote, and raises where any value differs.
    assert appended("q.yaml", "- {case: A}\n", (), {**ADDED, "case": value})


def test_what_cannot_be_edited_without_another_change_is_refused() -> None:
    # Both entries are one to YAML: a sign-off of one would be one of the other.
    with pytest.raises(CaseError, match="without another change"):
        appended("q.yaml", "- &a {case: A, owner: X}\n- *a\n", (0, "sign_offs"), {"who": "X"})
    with pytest.raises(CaseError, match=r"q\.yaml"):
        appended("q.yaml", "- [", (), {"case": "B"})
    with pytest.raises(CaseError, match="cannot be edited"):
        appended("q.yaml", "a: b\n", (), {"case": "B"})
    with pytest.raises(CaseError, match="larger than 10 MB"):
        appended("q.yaml", f"# {'x' * 10_000_000}\n", (), {"case": "B"})


def test_comments_alone_are_blank() -> None:
    assert [is_blank(text) for text in (b"", b"# a\n \r\n", b"\xef\xbb\xbf# a", b"a", b"# a\n[]")] == [
        True, True, True, False, False,
    ]  # fmt: skip


# Commits


def git(*words: str) -> str:
    named = ("-c", "user.name=Kim", "-c", "user.email=kim@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *named, *words], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A repository that is worked in, and a function that commits a file's new text and gives the commit."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    def save(*paths: str) -> str:
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with (folder / path).open("a") as opened:
                opened.write("x\n")
        git("add", "-A")
        git("commit", "-q", "-m", "a change")
        return git("rev-parse", "HEAD")

    git("init", "-q")
    return save


def test_a_sign_off_speaks_of_the_commit_below_those_of_the_quarantine(repository) -> None:
    first = repository("agent.py", "cases/quarantine.yaml")
    assert commit_signed("cases/quarantine.yaml") == commit() == first
    last = repository("cases/quarantine.yaml")
    again = repository("cases/quarantine.yaml")
    assert (commit(), commit_signed("cases/quarantine.yaml")) == (again, first)
    assert last != again
    # With anything beside it, it is a commit like any other.
    both = repository("cases/quarantine.yaml", "agent.py")
    assert commit_signed("cases/quarantine.yaml") == both
    assert commit_signed(Path("cases/quarantine.yaml").resolve()) == both
    # Another suite's quarantine is not this one's.
    other = repository("shop/quarantine.yaml")
    assert commit_signed("cases/quarantine.yaml") == other


def test_a_merge_of_the_quarantine_alone_is_looked_through_and_one_of_more_is_not(repository) -> None:
    released = repository("agent.py", "cases/quarantine.yaml")
    main = git("symbolic-ref", "--short", "HEAD")
    git("checkout", "-q", "-b", "sign-off")
    repository("cases/quarantine.yaml")
    git("checkout", "-q", main)
    git("merge", "-q", "--no-ff", "-m", "merged", "sign-off")
    assert commit() != commit_signed("cases/quarantine.yaml") == released
    git("checkout", "-q", "-b", "work", released)
    repository("tools.py")
    git("checkout", "-q", main)
    after = repository("more.py")
    git("merge", "-q", "--no-ff", "-m", "merged", "work")
    # Neither side held all of what goes out: the merge itself is what is released.
    assert after != commit() == commit_signed("cases/quarantine.yaml")


def test_the_whole_repository_counts_wherever_the_command_runs(repository, monkeypatch: pytest.MonkeyPatch) -> None:
    first = repository("agent.py", "cases/quarantine.yaml")
    repository("cases/quarantine.yaml")
    monkeypatch.chdir("cases")
    assert commit_signed("quarantine.yaml") == first


def test_a_name_with_signs_of_git_s_own_is_taken_as_it_stands(repository) -> None:
    first = repository("agent.py", "ca[s]es*/quarantine.yaml", "cases/quarantine.yaml")
    assert repository("ca[s]es*/quarantine.yaml") != commit_signed("ca[s]es*/quarantine.yaml") == first
    assert repository("cases/quarantine.yaml") == commit_signed("ca[s]es*/quarantine.yaml")


def test_a_repository_that_holds_the_quarantine_alone_has_its_own_commit(repository) -> None:
    assert commit_signed("cases/quarantine.yaml") is None  # no commit yet
    only = repository("cases/quarantine.yaml")
    assert commit_signed("cases/quarantine.yaml") == only
    assert commit_signed("/elsewhere/quarantine.yaml") == only


def test_without_a_repository_or_without_git_there_is_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert (commit(), commit_signed("quarantine.yaml")) == (None, None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (commit(), commit_signed("quarantine.yaml")) == (None, None)


# The commands


def evalkit(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.exit_code, done.output, done.exception)
    assert "Traceback" not in done.output
    return done.stdout + done.stderr


@pytest.fixture
def played(write, tmp_path: Path) -> Path:
    """A suite whose store holds a run: ORD-1 and ORD-4 flake, ORD-3 fails, ORD-2 flakes and need not pass."""
    shop = write({"tickets/orders.yaml": CASES})
    suite = load_suite(shop)
    answers = {
        "ORD-1": [DIRECT, HANDOFF],
        "ORD-2": [DIRECT, HANDOFF],
        "ORD-3": [HANDOFF] * 2,
        "ORD-4": [HANDOFF, DIRECT],
    }
    slots = [Slot("old", case, number, f"{case}-{number}") for case in answers for number in range(2)]
    manifest = {
        "run": "a" * 64, "name": "small", "started": "2026-11-02T10:00:00+00:00", "trials": 2, "baseline": "old",
        "suite": {"name": suite.name, "snapshot": suite.snapshot, "cases": 4, "strata": {}, "safety_cases": []},
        "candidates": [{"name": "old", "model": "offline/agent"}],
    }  # fmt: skip
    with Store(tmp_path / "store" / "evalkit.sqlite") as store:
        store.begin(manifest, slots, suite.files, str(shop.resolve()), ())
        for slot in slots:
            store.save("a" * 64, trial(slot, answers[slot.case][slot.number]))
    return shop


def added(shop: Path, case: str, *more: object, code: int = 0) -> str:
    return evalkit(
        "quarantine", "add", case, "--reason", "the date flakes", "--fix-by", LATER, "--suite", shop, *more, code=code
    )


def test_a_case_that_flakes_is_put_into_quarantine_by_its_owner(played: Path) -> None:
    (played / "quarantine.yaml").write_text("# Who mends what.\n")
    said = added(played, "ORD-1")
    assert f"ORD-1 is in quarantine until {LATER}; Priya Nair owns it" in said
    assert f'- {{who: "Priya Nair", when: {TODAY}, why: …, what: ["quarantine/ORD-1"]}}' in said
    added(played, "ORD-4", "--owner", "Jo Park", "--since", "2026-11-01")
    text = (played / "quarantine.yaml").read_text()
    assert text.startswith("# Who mends what.\n- case: ORD-1\n  owner: Priya Nair\n  reason: the date flakes\n")
    found = load_suite(played).quarantine
    assert [(each.case, each.owner, each.since) for each in found.values()] == [
        ("ORD-1", "Priya Nair", TODAY),
        ("ORD-4", "Jo Park", date(2026, 11, 1)),
    ]


@pytest.mark.parametrize(
    ("case", "more", "said"),
    [
        ("NO-1", (), "no case 'NO-1' in"),
        ("ORD-2", (), "ORD-2 is not must_pass: its failure blocks nothing, so it needs no quarantine"),
        ("ORD-3", (), "ORD-3 has no owner; name who mends it with --owner"),
        ("ORD-3", ("--owner", "Jo"), "ORD-3 passed 0 of 2 by old in run aaaaaaaa: that is no flake, it is broken"),
        ("ORD-1", ("--since", "2999-01-01"), "is before since 2999-01-01"),
        ("ORD-1", ("--fix-by", "2020-01-01"), "--fix-by 2020-01-01 has passed already; name a day to come"),
        ("ORD-1", ("--reason", " "), "reason: is blank"),
        ("ORD-1", ("--owner", "\x1b[31m"), "owner"),
        ("ORD-1", ("--run", "bbbb"), "bbbb"),
    ],
)
def test_add_refuses_in_a_line_and_writes_nothing(played: Path, case: str, more: tuple[str, ...], said: str) -> None:
    printed = added(played, case, *more, code=1)
    assert said in printed
    assert len(printed.strip().splitlines()) == 1
    assert not (played / "quarantine.yaml").exists()


def test_add_refuses_a_case_that_is_there_already(played: Path) -> None:
    added(played, "ORD-1")
    before = (played / "quarantine.yaml").read_bytes()
    assert f"ORD-1 is in quarantine since {TODAY}, owner Priya Nair; change its entry" in added(played, "ORD-1", code=1)
    assert (played / "quarantine.yaml").read_bytes() == before


def test_a_case_that_was_not_played_or_always_passed_does_not_flake(played: Path, write) -> None:
    more = (
        CASES + "    - {id: ORD-5, stratum: orders, must_pass: true, ticket: {body: Hi}, expected_handling: direct}\n"
    )
    write({"tickets/orders.yaml": more})
    assert "ORD-5 has no trial with a verdict in run aaaaaaaa: not measured" in added(
        played, "ORD-5", "--owner", "Jo", code=1
    )
    # Judged by what the suite expects now, both of these answers pass.
    write(
        {
            "tickets/orders.yaml": CASES.replace(
                "{body: Hi}, expected_handling: direct", "{body: Hi}, must_include: [hello]"
            )
        }
    )
    assert "ORD-1 passed 2 of 2 by old in run aaaaaaaa: it does not flake" in added(played, "ORD-1", code=1)


def test_list_says_how_each_entry_stands_and_what_else_flakes(played: Path) -> None:
    added(played, "ORD-1", "--since", "2026-11-01")
    evalkit("quarantine", "sign-off", "ORD-1", "--who", "Priya Nair", "--commit", SHA, "--suite", played)
    said = evalkit("quarantine", "list", "--suite", played).splitlines()
    assert said == [
        f"ORD-1: Priya Nair, since 2026-11-01, fix by {LATER} (11 days left); last signed off {SHA[:12]} on {TODAY}; "
        "passed 1 of 2 measured by old",
        "    the date flakes",
        "ORD-4 flakes and is not in quarantine: passed 1 of 2 measured by old; mend it, or `evalkit quarantine add`",
    ]
    after = (date.fromisoformat(LATER) + timedelta(days=1)).isoformat()
    assert "(EXPIRED)" in evalkit("quarantine", "list", "--suite", played, "--date", after)


def test_list_prints_one_json_object(played: Path) -> None:
    added(played, "ORD-1", "--since", "2026-11-01")
    found = json.loads(evalkit("quarantine", "list", "--suite", played, "--date", LATER, "--json"))
    assert found == {
        "run": "a" * 64,
        "quarantine": [
            {
                "case": "ORD-1", "owner": "Priya Nair", "reason": "the date flakes", "since": "2026-11-01",
                "fix_by": LATER, "sign_offs": [], "days_left": 0, "expired": False,
                "flaking": {"candidate": "old", "passed": 1, "measured": 2, "unmeasured": 0},
            }
        ],
        "flaking": [{"case": "ORD-4", "candidate": "old", "passed": 1, "measured": 2, "unmeasured": 0}],
    }  # fmt: skip


def test_list_without_a_run_says_that_flaking_is_not_measured(write) -> None:
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": f"- {ENTRY}"})
    said = evalkit("quarantine", "list", "--suite", shop)
    assert "never signed off; flaking not measured" in said
    assert "flaking is not measured: there is no store" in said
    assert "there is no store" in evalkit("quarantine", "list", "--suite", shop, "--run", "latest", code=1)


def sign(shop: Path, case: str, who: str, sha: str, code: int = 0) -> str:
    return evalkit("quarantine", "sign-off", case, "--who", who, "--commit", sha, "--suite", shop, code=code)


def test_the_owner_signs_a_commit_off_and_nobody_else(write) -> None:
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": f"- {ENTRY}  # mind it\n"})
    before = (shop / "quarantine.yaml").read_bytes()
    assert "ORD-1 is owned by Priya Nair, who alone signs it off; Jo Park cannot" in sign(
        shop, "ORD-1", "Jo Park", SHA, 1
    )
    assert "'ORD-4' is not in quarantine, so it needs no sign-off; in quarantine: ORD-1" in sign(
        shop, "ORD-4", "Priya Nair", SHA, 1
    )
    assert "does not fit" in sign(shop, "ORD-1", "Priya Nair", "abc", 1)
    assert (shop / "quarantine.yaml").read_bytes() == before
    assert f"Priya Nair signed ORD-1 off for {SHA}" in sign(shop, "ORD-1", "Priya Nair", SHA.upper())
    sign(shop, "ORD-1", "Priya Nair", "1234567")
    assert "is signed off for 1234567 already" in sign(shop, "ORD-1", "Priya Nair", "1234567", 1)
    found = load_suite(shop).quarantine["ORD-1"]
    assert [each.commit for each in found.sign_offs] == [SHA, "1234567"]
    assert signed_off(found, [SHA]) == SignOff(who="Priya Nair", commit=SHA, when=TODAY)
    assert "# mind it" in (shop / "quarantine.yaml").read_text()


def test_a_sign_off_still_counts_in_the_commit_that_holds_it(write, repository) -> None:
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": f"- {ENTRY}\n"}, folder="repository/cases")
    released = repository("agent.py")
    evalkit("quarantine", "sign-off", "ORD-1", "--who", "Priya Nair")
    (only,) = load_suite(shop).quarantine["ORD-1"].sign_offs
    assert only.commit == released
    git("commit", "-q", "-a", "-m", "sign-off")
    holds_it = commit()
    assert holds_it == commit() != released
    signed_commit = commit_signed(shop / "quarantine.yaml")
    assert signed_commit == released
    assert signed_off(load_suite(shop).quarantine["ORD-1"], [released]) is not None
    # The next commit of anything else needs a new one.
    repository("agent.py")
    later = commit_signed(shop / "quarantine.yaml")
    assert later is not None
    assert signed_off(load_suite(shop).quarantine["ORD-1"], [later]) is None


def test_where_there_is_no_commit_one_must_be_named(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": f"- {ENTRY}\n"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    said = evalkit("quarantine", "sign-off", "ORD-1", "--who", "Priya Nair", "--suite", shop, code=1)
    assert said.strip() == "there is no commit here to sign off; name one with --commit"


def test_an_expired_entry_can_be_signed_and_is_said_to_block(write) -> None:
    old = "- {case: ORD-1, owner: Kim, reason: x, since: 2020-01-01, fix_by: 2020-02-01}\n"
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": old})
    assert "its day, 2020-02-01, has passed: the gate blocks it whatever is signed" in sign(shop, "ORD-1", "Kim", SHA)


def test_nothing_is_written_where_the_suite_would_not_load_again(write) -> None:
    full = ", ".join("{who: Kim, commit: abcdef1, when: 2026-11-30}" for _ in range(10_000))
    text = f"- {{case: ORD-1, owner: Kim, reason: x, since: 2020-01-01, fix_by: 2999-02-01, sign_offs: [{full}]}}\n"
    shop = write({"tickets/orders.yaml": CASES, "quarantine.yaml": text})
    assert "sign_offs" in sign(shop, "ORD-1", "Kim", SHA, 1)
    assert (shop / "quarantine.yaml").read_text() == text
    assert [path.name for path in shop.iterdir() if path.name.startswith(".")] == []


# What an amendment may not be


@pytest.mark.parametrize(
    ("who", "when", "why", "said"),
    [
        ("'…'", "2026-11-30", "a reason", "who: '…' is nobody's name; write who amends it"),
        ("...", "2026-11-30", "a reason", "who: '...' is nobody's name"),
        ("'?'", "2026-11-30", "a reason", "is nobody's name"),
        ("TODO", "2026-11-30", "a reason", "is nobody's name"),
        ("Kim", "2026-11-30", "'…'", "why: '…' is no reason; write why it is changed, in words"),
        ("Kim", "2026-11-30", "...", "is no reason"),
        ("Kim", "2026-11-30", "'?'", "is no reason"),
        ("Kim", "2026-11-30", "todo", "is no reason"),
        ("Kim", "2026-11-30", "'TODO: say why'", "is no reason"),
        ("Kim", "2026-11-30", "'<TODO>'", "is no reason"),
        ("Kim", "2026-11-30", "ok", "is no reason"),
        ("Kim", "2026-11-30", "'#1234'", "is no reason"),
        ("Kim", "'…'", "a reason", "when: '…' does not begin with a day; write it as 2026-11-30"),
        ("Kim", "YYYY-MM-DD", "a reason", "does not begin with a day"),
        ("Kim", "yesterday", "a reason", "does not begin with a day"),
        ("Kim", "2026-02-30", "a reason", "does not begin with a day"),
        ("Kim", "2026-11-300", "a reason", "does not begin with a day"),
        ("Kim", "30.11.2026", "a reason", "does not begin with a day"),
    ],
)  # fmt: skip
def test_an_amendment_that_was_not_filled_in_is_refused_with_its_line(
    write, who: str, when: str, why: str, said: str
) -> None:
    entry = f"who: {who}, when: {when}, why: {why}"
    found = faults(write, "amendments.yaml", f"# head\n- {{{entry}, what: [today]}}\n")
    assert [each.startswith("amendments.yaml:2: amendment 1: ") and said in each for each in found] == [True], found
    write({"amendments.yaml": "[]"})
    own = f"- {{id: A-1, stratum: a, ticket: {{body: Hi}}, expected_handling: direct,\n   amendments: [{{{entry}}}]}}\n"
    found = faults(write, "own.yaml", own)
    assert [each.startswith("own.yaml:2: A-1: amendments.0.") and said in each for each in found] == [True], found


@pytest.mark.parametrize(
    "when", ["2026-11-30", "2026-11-30T10:00:00Z", "2026-11-30 10:00", "2026-11-30 10:00:00 +01:00"]
)
def test_an_amendment_has_a_day_and_may_have_a_time(write, when: str) -> None:
    text = f"- {{who: K, when: {when}, why: Todo lists may be asked for now., what: [today]}}"
    assert load_suite(write({"amendments.yaml": text})).amendments[0].when == when
