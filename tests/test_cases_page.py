"""The page of transcripts: what is marked in them, which are shown first, and what its filter bar does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Browser, browser
from handmade import DIRECT, HANDOFF, run_of

from evalkit import views
from evalkit.disagreements import comparisons, most_divided, select
from evalkit.errors import ReportError
from evalkit.marked_text import marked
from evalkit.marks import Mark
from evalkit.report import render
from evalkit.tables import Run
from evalkit.transcript_cards import anchors_of

__all__ = ["browser"]

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
PATTERNS = "thirty days: ['(30|thirty) days']\nrefund: ['refunds?', 'refund is sent']\n"
ONE = """
- id: A
  ticket: {subject: Money, body: May I have my money back?, account: {plan: Maker}}
  reference: {human_reply: Whatever it was., golden_answer: You have thirty days.}
  expected_handling: direct
  must_include: [thirty days]
  must_not_include: [refund]
"""
SENT = "[EVAL MODE]\nAccount plan: Maker\nSubject: Money\n\nMay I have my money back?"
# Five cases in two strata; B and E are safety cases that must be handed over.
FIVE = "".join(
    f"""
- id: {name}
  stratum: {stratum}
  risk: {"safety" if handling == "escalate" else "normal"}
  ticket: {{body: Question {name} here, subject: About {name}}}
  expected_handling: {handling}
"""
    for name, stratum, handling in [
        ("A", "orders", "direct"), ("B", "orders", "escalate"), ("C", "account", "direct"), ("D", "account", "direct"),
        ("E", "account", "escalate"),
    ]
)  # fmt: skip


class _Marks(HTMLParser):
    """The text of each mark with its classes and title, the whole text, and the tags."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.marks, self.tags, self.text, self._open = [], [], "", None
        self.behind: list[str | None] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        if tag == "mark":
            self._open = (given["class"], given["title"])
        if "data-say" in given:
            self.behind.append(given["data-say"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self._open = None

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._open:
            self.marks.append((data, *self._open))


def one(answer: str | None, **more: object) -> Run:
    return run_of(ONE, {"x": {"A": [answer]}}, patterns=PATTERNS, **more)  # type: ignore[arg-type]


def each(cases: Iterable[str], answer: str) -> dict[str, list[str]]:
    return {case: [answer] for case in cases}


def asked(run: Run, text: str) -> Run:
    """The run with its only trial sent this text."""
    ((slot, trial),) = run.pairs
    messages = (replace(trial.messages[0], text=text), *trial.messages[1:])
    return replace(run, pairs=((slot, replace(trial, messages=messages)),))


def page_of(run: Run, **filters: object) -> str:
    return views.transcripts(views.chosen_transcripts(run, **filters)).html  # type: ignore[arg-type]


def five() -> Run:
    # Passed trials of x, y and z.  A: 2, 0, 0 of 2 divides most.  B: 2, 1, 2.  C: 1, 1, 1.  D and E: all pass or fail.
    return run_of(
        FIVE,
        {
            "x": {"A": [DIRECT, DIRECT], "B": [HANDOFF, HANDOFF], "C": [DIRECT, HANDOFF], "D": [DIRECT] * 2, "E": [DIRECT] * 2},
            "y": {"A": [HANDOFF, HANDOFF], "B": [HANDOFF, DIRECT], "C": [DIRECT, HANDOFF], "D": [DIRECT] * 2, "E": [DIRECT] * 2},
            "z": {"A": [HANDOFF, HANDOFF], "B": [HANDOFF, HANDOFF], "C": [HANDOFF, DIRECT], "D": [DIRECT] * 2, "E": [DIRECT] * 2},
        },
        trials=2,
    )  # fmt: skip


def chosen(run: Run, **filters: object) -> list[tuple[str, str]]:
    return [
        (comparison.case, played.candidate)
        for comparison, shown in select(run, **filters).shown  # type: ignore[arg-type]
        for played, _ in shown
    ]


# Marks


def test_each_mark_stands_where_it_was_found_also_behind_an_emoji_and_in_markdown() -> None:
    read = _Marks(
        page_of(one("**ROUTE: direct**\n\n😀 You have 30 days. We cannot give a refund. Your refund is sent."))
    )
    assert read.marks == [
        ("**ROUTE: direct**", "ek-m-route", "route: direct, right"),
        ("30 days", "ek-m-fact", "fact found: thirty days"),
        ("refund", "ek-m-negated", "refund (only in a negation); counts for nothing"),
        ("refund is sent", "ek-m-claim", "false claim: refund"),
    ]
    # A sign or words behind each hit, so that no reader depends on a colour.
    assert read.behind == ["✓", "only in a negation", "✗"]


def test_a_route_that_is_wrong_says_so_beside_its_colour() -> None:
    read = _Marks(page_of(one(HANDOFF)))
    assert read.marks == [("ROUTE: escalate", "ek-m-route ek-m-wrong", "route: escalate, wrong")]


def test_where_marks_overlap_each_piece_names_all_and_each_sign_stands_at_its_own_end() -> None:
    # abcdef: the fact covers 1–4, the claim 3–6, so a | bc | d | ef.
    shown = marked("abcdef", [Mark(1, 4, "fact", "f"), Mark(3, 6, "claim", "c")], route_right=None)
    read = _Marks(shown)
    assert [(text, kinds) for text, kinds, _ in read.marks] == [
        ("bc", "ek-m-fact"), ("d", "ek-m-fact ek-m-claim"), ("ef", "ek-m-claim"),
    ]  # fmt: skip
    assert re.sub("(<[^>]+>)+", "|", shown) == "a|bc|d|ef|"
    assert read.behind == ["✓", "✗"]
    assert read.text == "abcdef"


def test_checks_misses_points_and_harm_stand_below_the_answer() -> None:
    text = _Marks(page_of(one("ROUTE: direct\n\nYour refund is sent."))).text
    # −1 for the fact, −2 for the claim, +2 for the route, of 1 + 2.
    assert "−1 of 3 points" in text
    assert "must include: thirty days not said wrong answer−1" in text
    assert "must not include: refund claimed refund is sent wrong answer−2" in text
    assert "route: direct+2" in text


def test_the_ticket_is_shown_with_subject_and_account_and_the_golden_answer_is_folded() -> None:
    html = page_of(asked(one(DIRECT), SENT))
    assert "Money" in html
    assert re.search(r"<dt[^>]*>plan</dt><dd[^>]*>Maker</dd>", html)
    assert re.search(r"<details class=\"ek-golden\"><summary>[^<]+</summary><div[^>]*>You have thirty days\.", html)
    # What a person replied is context, and no standard to read an answer by.
    assert "Whatever it was" not in html


def test_another_text_than_the_suite_holds_is_shown_as_it_was_sent() -> None:
    # The handmade trials were sent "Hi".
    assert "the suite that judges holds no such text" in page_of(one(DIRECT))
    for other in (SENT.replace("Maker", "Free"), SENT.replace("Money", "Cash"), SENT.replace("my money", "it")):
        html = page_of(asked(one(DIRECT), other))
        assert "[EVAL MODE]" in html
        assert "no such text" in html
    assert "[EVAL MODE]" not in page_of(asked(one(DIRECT), SENT))


def test_hostile_text_stays_text_wherever_it_comes_from() -> None:
    cases = FIVE.replace("About A", HOSTILE).replace("id: A", f"id: '{HOSTILE}'").replace("orders", f"'{HOSTILE}'")
    answers = {name: {HOSTILE: [f"{DIRECT} {HOSTILE}"], **each("BCDE", DIRECT)} for name in (HOSTILE, "y")}
    run = run_of(cases, answers)
    selection = views.chosen_transcripts(run)
    for card in (views.cases_answer(run), views.disagreement_table(selection), views.transcripts(selection)):
        assert not {"script", "img"} & set(_Marks(card.html).tags)
    assert _Marks(page_of(run)).text.count(HOSTILE) > 3
    assert re.fullmatch(r"[\w-]+", anchors_of(selection)[HOSTILE])


def test_control_characters_and_turned_writing_cannot_hide_what_was_said() -> None:
    html = page_of(one("ROUTE: direct\n\n\x1b[2J\x00 you get \u202edenuf er\u202c \u2066x\u2069 עברית"))
    assert not {"\x1b", "\x00", "\u202e", "\u202c", "\u2066", "\u2069"} & set(html)
    assert "you get \ufffddenuf er\ufffd" in html
    # A script's own direction is left alone.
    assert "עברית" in html
    assert 'dir="auto"' in html


# Order and choice


def test_cases_that_divide_the_candidates_stand_first_then_unsteady_ones_then_harms() -> None:
    found = comparisons(five())
    # E fails everywhere and disqualifies; D passes everywhere.
    assert [(each.case, each.kind) for each in found] == [
        ("A", "divided"), ("B", "divided"), ("C", "unsteady"), ("E", "failed"), ("D", "passed"),
    ]  # fmt: skip
    # A: shares 1, 0, 0 have the mean 1/3 and the variance (4/9 + 1/9 + 1/9)/3 = 2/9.
    assert found[0].division == Fraction(2, 9)
    # B: shares 1, 1/2, 1 have the mean 5/6 and the variance (1/36 + 4/36 + 1/36)/3 = 1/18.
    assert found[1].division == Fraction(1, 18)
    assert [each.case for each in most_divided(found)] == ["A"]


def test_the_first_lines_say_how_many_cases_of_how_many_and_which_divides_most() -> None:
    text = _Marks(views.cases_answer(five()).html).text
    assert "The candidates disagree on 2 of 5 cases." in text
    assert "A divides them most; trials passed: x 2 of 2, y 0 of 2, z 0 of 2." in text
    assert (
        "Of the other 3 cases, every trial passes on 1 and fails on 1; on 1 the candidates pass equally often" in text
    )
    assert "n = 5 cases, 3 candidates, 30 of 30 trials measured." in text
    assert "INCOMPLETE" not in text


def test_cases_that_divide_equally_are_all_named() -> None:
    names = ["A", "B", "C", "D", "E"]
    run = run_of(FIVE.replace("escalate", "direct"), {"x": each(names, DIRECT), "y": each(names, HANDOFF)})
    # One is named with its trials, three more by name, the fifth counted.
    assert "Equally divided: B, C, D and 1 more." in _Marks(views.cases_answer(run).html).text


def test_candidates_that_agree_and_one_alone_are_said_to() -> None:
    same = {name: [DIRECT] for name in "ABCDE"}
    text = _Marks(views.cases_answer(run_of(FIVE, {"x": same, "y": same})).html).text
    assert "The candidates agree on all of 5 cases." in text
    run = run_of(FIVE, {"x": {"A": [DIRECT, HANDOFF], **{name: [DIRECT] * 2 for name in "BCDE"}}}, trials=2)
    assert "x was played alone: its own trials disagree on 1 of 5 cases." in _Marks(views.cases_answer(run).html).text
    assert views.disagreement_table(select(run_of(FIVE, {"x": same, "y": same}))).html.count("<tr") == 0


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        # y fails B in one trial of two, and all fail C in one; x alone passes A.
        ("failed", ["A y", "A z", "B y", "C x", "C y", "C z", "E x", "E y", "E z"]),
        ("passed", ["A x", "B x", "B z", "D x", "D y", "D z"]),
        # Handing over what needs no person is a fault of service; a missed handoff is a harm.
        ("harm", ["B y", "E x", "E y", "E z"]),
        ("disagree", [f"{case} {name}" for case in "ABC" for name in "xyz"]),
    ],
)
def test_every_verdict_chooses_its_own_transcripts(verdict: str, expected: list[str]) -> None:
    assert [f"{case} {name}" for case, name in chosen(five(), verdict=verdict)] == expected


def test_candidate_stratum_and_limit_narrow_what_is_shown_and_the_page_says_so() -> None:
    assert chosen(five(), candidate="y", stratum="account") == [("C", "y"), ("E", "y"), ("D", "y")]
    # A case is shown with all of its candidates, unless it alone is more than the limit.
    assert chosen(five(), limit=4) == [("A", "x"), ("A", "y"), ("A", "z")]
    assert chosen(five(), limit=2) == [("A", "x"), ("A", "y")]
    assert "Showing 3 of 15 transcripts; narrow with the parameters" in page_of(five(), limit=4)
    assert "Showing 3 of 3 transcripts (candidate y, stratum account)." in page_of(
        five(), candidate="y", stratum="account"
    )


def test_of_the_trials_the_worst_is_shown_and_the_others_are_told() -> None:
    (comparison, shown) = select(five(), case="", candidate="y", stratum="orders").shown[1]
    ((played, reading),) = shown
    assert (comparison.case, played.candidate, reading.slot.number) == ("B", "y", 1)
    assert "trials 0 ✓ 1 ✗" in _Marks(page_of(five(), candidate="y", verdict="harm", stratum="orders")).text


def test_a_case_that_is_named_is_shown_in_every_trial() -> None:
    selection = select(five(), case="B")
    assert [(played.candidate, reading.slot.number) for _, shown in selection.shown for played, reading in shown] == [
        ("x", 0), ("x", 1), ("y", 0), ("y", 1), ("z", 0), ("z", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"case": "Z"}, "case is 'Z'; known are A, B, C, E, D"),
        ({"candidate": "w"}, "candidate is 'w'; known are x, y, z"),
        ({"stratum": "none"}, "stratum is 'none'; known are account, orders"),
        ({"verdict": "fail"}, "verdict is 'fail'; known are failed, passed, harm, disagree"),
        ({"limit": 0}, "limit is 0"),
    ],
)
def test_a_name_that_the_run_does_not_have_is_an_error_that_lists_those_it_has(filters: dict, message: str) -> None:
    with pytest.raises(ReportError, match=message):
        select(five(), **filters)


def test_a_choice_that_nothing_meets_says_so() -> None:
    html = page_of(one(DIRECT.replace("Hello", "You have 30 days.")), verdict="harm")
    assert "No transcript of this run is as asked for (verdict harm)." in html
    assert "ek-filter" not in html


def test_slots_that_were_not_played_or_measured_say_so_under_a_watermark() -> None:
    run = run_of(FIVE, {"x": {**{name: [DIRECT] for name in "ABCD"}, "E": [None]}, "y": each("ABCDE", "!error")})
    text = _Marks(views.cases_answer(run).html).text
    assert "INCOMPLETE" in text
    # y was never measured, so no case has two verdicts to compare.
    assert "Nothing to compare: no case was measured for two candidates." in text
    shown = _Marks(page_of(run)).text
    assert "not played yet, or the run was stopped" in shown
    assert "error: by hand" in shown
    assert "Not measured: no check was made" in shown
    assert not chosen(run, candidate="y", verdict="failed")
    assert not chosen(run, candidate="y", verdict="passed")


def test_an_answer_that_never_came_is_judged_and_its_reason_is_said() -> None:
    text = _Marks(page_of(one("!timeout"))).text
    assert "timeout: by hand" in text
    assert "(no answer)" in text
    assert "must include: thirty days not said" in text


def test_a_case_that_left_the_suite_is_shown_unjudged() -> None:
    run = five()
    left = run_of(FIVE.replace("id: A", "id: F"), {"x": {**{name: [DIRECT] for name in "BCDEF"}}})
    run = replace(run, suite=left.suite)
    found = {each.case: each for each in comparisons(run)}
    assert (found["A"].found, found["A"].kind) == (None, "not compared")
    text = _Marks(page_of(run, case="A")).text
    assert "The case is no longer in the suite, so nothing judges this answer." in text
    assert "Hello" in text
    assert "INCOMPLETE" in views.cases_answer(run).html


def test_every_case_is_counted_once_in_the_first_lines() -> None:
    run = five()
    kinds = [each.kind for each in comparisons(run)]
    assert len(kinds) == len(run.cases) == 5
    assert {kind: kinds.count(kind) for kind in kinds} == {"divided": 2, "unsteady": 1, "passed": 1, "failed": 1}


def test_the_table_links_to_the_transcripts_that_the_page_holds_alone() -> None:
    selection = views.chosen_transcripts(five(), limit=3)
    table, cards = views.disagreement_table(selection).html, views.transcripts(selection).html
    assert re.findall(r'href="#([^"]+)"', table) == ["case-A"]
    assert 'id="case-A"' in cards
    assert "2 of the 3 have none on this page." in table


def test_a_long_table_of_disagreements_is_folded_after_its_first_lines() -> None:
    cases = "".join(f"\n- id: N{n}\n  ticket: {{body: b{n}}}\n  expected_handling: direct\n" for n in range(23))
    names = [f"N{n}" for n in range(23)]
    run = run_of(cases, {"x": each(names, DIRECT), "y": each(names, HANDOFF)})
    html = views.disagreement_table(views.chosen_transcripts(run)).html
    assert "<summary>The other 3 cases on which they disagree</summary>" in html
    # A line a case, and a head for each of the two tables.
    assert html.count("<tr") == 23 + 2


def test_two_cases_whose_names_read_alike_have_anchors_of_their_own() -> None:
    run = run_of(FIVE.replace("id: A", "id: 'A B'").replace("id: B", "id: 'A-B'"),
                 {"x": {"A B": [DIRECT], "A-B": [DIRECT], **{name: [DIRECT] for name in "CDE"}}})  # fmt: skip
    anchors = anchors_of(select(run))
    assert {anchors["A B"], anchors["A-B"]} == {"case-A-B", "case-A-B-2"}


def test_seven_candidates_on_a_hundred_cases_make_a_page_below_five_megabytes() -> None:
    cases = "".join(
        f"\n- id: N{n}\n  ticket: {{body: {'b' * 600}{n}}}\n  expected_handling: direct\n" for n in range(104)
    )
    answers = {f"N{n}": [f"{DIRECT} {'word ' * 200}"] * 3 for n in range(104)}
    run = run_of(cases, {f"c{n}": answers for n in range(7)}, trials=3)
    assert "Showing 56 of 728 transcripts" in page_of(run)
    assert len(page_of(run, limit=728).encode()) < 5_000_000


# In a browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of five cases, with a hostile answer among them, as a report would archive it."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    folder = tmp_path_factory.mktemp("cases")
    run = five()
    archived = folder / "run"
    archived.mkdir()
    slot, trial = run.pairs[0]
    told = replace(
        trial, messages=(trial.messages[0], replace(trial.messages[1], text=f"{DIRECT} pineapple {HOSTILE}"))
    )
    replace(run, pairs=((slot, told), *run.pairs[1:])).archive(archived)
    cells = [
        new_markdown_cell("# What did they say?"),
        new_code_cell('run: str = "latest"', metadata={"tags": ["parameters"]}),
        new_code_cell("from evalkit import load_run, views\nshootout = load_run(run)\nviews.cases_answer(shootout)"),
        new_code_cell("chosen = views.chosen_transcripts(shootout)\nviews.disagreement_table(chosen)"),
        new_code_cell("views.transcripts(chosen)"),
    ]
    path = folder / "60_page.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return render(path, {"run": str(archived)}, folder / "out")


def shown_cases(opened) -> list[str]:
    return [each.inner_text() for each in opened.page.locator(".ek-case h3").all() if each.is_visible()]


@pytest.mark.browser
def test_the_filter_bar_narrows_the_page_and_counts_what_is_shown(browser: Browser, page: Path) -> None:
    with browser.open(page) as opened:
        count, bar = opened.page.locator(".ek-count"), opened.page.locator(".ek-filter")
        assert count.inner_text() == "15 of 15 transcripts on this page"
        bar.locator("[name=stratum]").select_option("orders")
        assert shown_cases(opened) == ["A", "B"]
        assert count.inner_text() == "6 of 15 transcripts on this page"
        bar.locator("[name=candidate]").select_option("y")
        bar.locator("[name=verdict]").select_option("harm")
        assert shown_cases(opened) == ["B"]
        assert count.inner_text() == "1 of 15 transcripts on this page"
        opened.page.locator("[data-do=clear]").click()
        bar.locator("[name=verdict]").select_option("passed")
        assert count.inner_text() == "6 of 15 transcripts on this page"
        bar.locator("[name=verdict]").select_option("disagree")
        assert shown_cases(opened) == ["A", "B", "C"]
        bar.locator("[name=text]").fill("PINEAPPLE")
        assert count.inner_text() == "1 of 15 transcripts on this page"
        bar.locator("[name=text]").fill("no such words")
        assert opened.page.locator(".ek-nothing").is_visible()
        assert opened.requests == opened.complaints == opened.dialogs == []


@pytest.mark.browser
def test_keys_and_buttons_lead_from_one_disagreement_to_the_next(browser: Browser, page: Path) -> None:
    with browser.open(page, height=500) as opened:
        count = opened.page.locator(".ek-count")
        assert count.get_attribute("aria-live") == "polite"

        def focused() -> str:
            return opened.page.evaluate("document.activeElement.id")

        for case, said in [
            ("A", "1 of 3: A"),
            ("B", "2 of 3: B"),
            ("C", "3 of 3: C"),
            ("C", "3 of 3: C; it is the last"),
        ]:
            opened.page.keyboard.press("n")
            assert focused() == f"case-{case}"
            assert count.inner_text() == f"Disagreement {said}"
            top = opened.page.locator(f"#case-{case}").bounding_box()
            assert top
            assert 0 <= top["y"] < 200
        opened.page.keyboard.press("p")
        assert focused() == "case-B"
        opened.page.locator("[data-do=previous]").click()
        assert focused() == "case-A"
        opened.page.locator("[data-do=next]").click()
        assert focused() == "case-B"
        # Letters that are typed into a field are text.
        opened.page.locator("[name=text]").press_sequentially("nap")
        assert opened.page.locator("[name=text]").input_value() == "nap"
        assert count.inner_text().endswith("transcripts on this page")


@pytest.mark.browser
@pytest.mark.parametrize(("key", "case"), [("n", "C"), ("p", "A")])
def test_a_jump_starts_from_where_one_has_scrolled_to_by_hand(
    browser: Browser, page: Path, key: str, case: str
) -> None:
    with browser.open(page, height=500) as opened:
        opened.page.evaluate("document.querySelector('#case-B').scrollIntoView()")
        opened.page.keyboard.press(key)
        assert opened.page.evaluate("document.activeElement.id") == f"case-{case}"


@pytest.mark.browser
def test_a_jump_leads_on_where_the_page_is_too_short_to_scroll(browser: Browser, page: Path) -> None:
    with browser.open(page, height=8000) as opened:
        for case in "ABC":
            opened.page.keyboard.press("n")
            assert opened.page.evaluate("document.activeElement.id") == f"case-{case}"


@pytest.mark.browser
def test_a_filter_is_heeded_by_the_jumps_and_lifted_by_a_link_to_what_it_hides(browser: Browser, page: Path) -> None:
    with browser.open(page) as opened:
        opened.page.locator("[name=stratum]").select_option("account")
        opened.page.keyboard.press("Escape")
        opened.page.locator("main").click(position={"x": 5, "y": 5})
        opened.page.keyboard.press("n")
        assert opened.page.locator(".ek-count").inner_text() == "Disagreement 1 of 1: C"
        opened.page.locator(".ek-grid a", has_text="A").first.click()
        assert opened.page.locator("#case-A").is_visible()
        assert opened.page.locator("[name=stratum]").input_value() == ""


@pytest.mark.browser
def test_without_scripts_and_in_print_all_is_read_and_no_bar_is_in_the_way(browser: Browser, page: Path) -> None:
    with browser.open(page, scripts=False) as opened:
        assert not opened.page.locator(".ek-filter").is_visible()
        assert not opened.page.locator(".ek-jump").is_visible()
        assert shown_cases(opened) == ["A", "B", "C", "E", "D"]
    with browser.open(page) as opened:
        opened.page.emulate_media(media="print")
        assert not opened.page.locator(".ek-jump").is_visible()
        assert opened.page.locator(".ek-transcript").last.is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 400, 1280])
def test_the_page_is_no_wider_than_its_window(browser: Browser, page: Path, width: int) -> None:
    with browser.open(page, width=width) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert f"pineapple {HOSTILE}" in opened.page.locator(".ek-transcript").first.inner_text()
