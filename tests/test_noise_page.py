"""The page on noise: whether bands are measured and what they see comes first, and nothing undefined is a number."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from repeated import repeated_run
from test_bands import A, flagged, written

from evalkit import cards, noise_charts, views
from evalkit.bands import Noise, self_check
from evalkit.errors import CaseError, ReportError
from evalkit.report import render
from evalkit.tables import Run

NOTEBOOK = ROOT / "notebooks" / "40_noise_bands.ipynb"
OF_NOISE = (
    "noise_would_change",
    "band_chart",
    "band_table",
    "precision_table",
    "luck_table",
    "power_chart",
    "power_table",
)
OF_RUN = ("noise_answer", "repeats_table", "noise_grounds")
HOSTILE = "<script>alert(1)</script>"
# 120 cases, of which a few flake: a drop of twenty points is caught.
LARGE = {f"C-{at}": "11 11 11" if at % 10 else "11 01 11" for at in range(120)}


def shown(piece: Any) -> str:
    if isinstance(piece, cards.Card):
        return piece.html
    return piece.as_raw_html() if hasattr(piece, "as_raw_html") else json.dumps(piece.to_dict(), ensure_ascii=False)


def text(piece: Any) -> str:
    """What a piece says, its markup taken out."""
    bare = re.sub(r"<style>.*?</style>|<[^>]+>", " ", shown(piece), flags=re.DOTALL)
    return " ".join(html.unescape(bare).split())


def pieces(run: Run, **more: Any) -> dict[str, str]:
    noise = views.noise_bands(run, **more)
    said = {name: text(getattr(views, name)(run, noise)) for name in OF_RUN}
    said |= {name: text(getattr(views, name)(noise)) for name in OF_NOISE}
    return {**said, "self_check_table": text(views.self_check_table(noise, 200, 1))}


EDGES: dict[str, Run] = {
    "one repeat": repeated_run({"orders": {"A-1": "11", "A-2": "10"}}),
    "example A": repeated_run({"orders": written(A)}),
    "a large stratum": repeated_run({"orders": LARGE}),
    "all pass": repeated_run({"orders": {f"A-{at}": "11 11" for at in range(30)}}),
    "none passes": repeated_run({"orders": {"A-1": "00 00", "A-2": "00 00"}}),
    "one case": repeated_run({"orders": {"A-1": "11 01"}}),
    "nothing but gaps": repeated_run({"orders": {"A-1": "11 1e"}, "account": {"B-1": "en nn"}}),
    "a gap": repeated_run({"orders": {**written(A[:5]), "A-9": "11 11 11 1e 11"}, "account": written(A, "B")}),
    "one trial a case": repeated_run({"orders": {"A-1": "1 0 1", "A-2": "1 1 1"}}),
    "nothing drawn": repeated_run(
        {"orders": written(A), "account": written(A, "B")},
        settings="name: handmade\nsamples: {pr: {draw: 3, strata: [orders]}}",
    ),
    "no baseline": repeated_run(
        {"orders": {"A-1": "11 11"}}, candidates={"bold": {"A-1": "11"}}, baseline=None
    ),
}  # fmt: skip
edge = pytest.mark.parametrize("run", EDGES.values(), ids=EDGES)


@edge
def test_every_piece_works_and_says_nothing_undefined_as_a_number(run: Run) -> None:
    for name, said in pieces(run).items():
        assert said
        # In a chart's rows null is what was not measured.
        assert not re.search(r"\b(nan|NaN|None|inf)\b", said), (name, said)


@pytest.mark.parametrize("name", ["one repeat", "nothing but gaps", "no baseline"])
def test_what_is_not_measured_says_so_first_and_how_it_is_measured(name: str) -> None:
    said = pieces(EDGES[name])
    assert "Not measured: " in said["noise_answer"]
    assert "headline ek-warn" in shown(views.noise_answer(EDGES[name], views.noise_bands(EDGES[name])))
    if name == "one repeat":
        assert "a band needs two repeats of the baseline, and there is one" in said["noise_answer"]
        assert "`evalkit run SHOOTOUT --repeats 3`" in said["noise_answer"]
        assert "1.00" not in said["power_table"]
    for piece in ("precision_table", "luck_table", "power_table"):
        assert said[piece] == "Not measured, for the reason that stands at the top of this page."


def test_the_first_sentence_says_how_good_the_gates_eyes_are() -> None:
    said = pieces(EDGES["example A"])["noise_answer"]
    first = (
        "The bands are measured: none of 1 strata would show a true drop of 20 points, and a pull request with nothing"
    )
    assert first.replace("1 strata", "1 stratum") in said
    blocked = r"changed is blocked by luck (< )?\d\S* % of the time by the flakes that were seen, and \d\S* % at most\."
    assert re.search(blocked, said)
    assert (
        "5 repeats of steady, 2 trials a case, compared on 10 cases of each stratum, or all where it has fewer" in said
    )
    sharp = pieces(EDGES["a large stratum"], m=120)["noise_answer"]
    assert "every stratum would show a true drop of 20 points" in sharp


def test_the_first_sentence_says_that_must_pass_cases_block_whatever_strata_do() -> None:
    still = {f"A-{at}": "11 11 11" for at in range(3)}
    said = pieces(flagged({**still, "B-1": "00 00 00", "B-2": "01 11 11"}))
    assert (
        "a pull request with nothing changed is blocked whatever its strata do: 1 of 5 must-pass cases failed every "
        "trial of the baseline."
    ) in said["noise_answer"]
    for piece in ("noise_answer", "luck_table"):
        assert "5 are compared, and 2 of them failed a trial of the baseline." in said[piece]
        assert "These failed every trial and block every pull request: B-1. These failed some: B-2." in said[piece]
        assert "The other 4 would block by luck" in said[piece]
    sees = flagged({"B-1": "00 00 00", **{f"A-{at}": "11 11 11" for at in range(100)}})
    noise = views.noise_bands(sees, m=101)
    assert isinstance(noise, Noise)
    assert len(noise.seeing(0.2)) == 1
    assert "headline ek-bad" in shown(views.noise_answer(sees, noise))
    # Where none fails always, the first sentence counts them with the strata: 1 − 0.05^(1/3) = 63 % at most.
    quiet = pieces(flagged({f"A-{at}": "11 11 11" for at in range(300)}), m=300)["noise_answer"]
    assert "blocked by luck 0.0 % of the time by the flakes that were seen, and 63 % at most." in quiet


def test_a_stratum_that_sees_nothing_is_said_in_those_words() -> None:
    said = pieces(EDGES["none passes"])
    assert "orders: sees nothing: even a drop to none stays inside the band." in said["noise_answer"]
    assert "sees nothing: even a drop to none stays inside the band" in said["band_table"]
    assert "Red: the band reaches the score" in said["band_chart"]
    assert "sees nothing sees nothing" in said["power_table"]


# Example A at all 6 of 6 cases: 2·√(17/180·…) – V(6) = 17/180, 2w/6 = 11/180: V decides, 2·√(3/5)·√(17/180) = 0.476.
def test_each_band_stands_with_what_decided_it_and_its_cases() -> None:
    said = pieces(EDGES["example A"])
    assert "orders 6 / 6 0.70 (" in said["band_table"]
    assert "0.48 0.48 V(m)" in said["band_table"]
    assert "2 × 0.77 × √variance of a difference" in said["band_table"]
    assert "orders: 0.48 (" in said["band_chart"]
    small = pieces(EDGES["example A"], m=3)
    assert "0.48 0.60 V(m)" in small["band_table"]


# P(t₄ < −2) = 5.8 %, multiplier 2.869; five repeats say that the true spread is 0.60 to 2.87 times the measured one.
def test_few_repeats_are_answered_with_the_rate_and_the_multiplier() -> None:
    said = pieces(EDGES["example A"])["precision_table"]
    assert "6 of 6" not in said
    assert "5 of 6" in said
    assert "5.8 % · 2.87" in said
    assert "0.60 to 2.87 times" in said
    assert re.search(r"± \d+ %", said)
    assert "takes 49 repeats" in said
    assert "the floor decides" in pieces(EDGES["all pass"])["precision_table"]
    assert "not told: no case flaked" in pieces(EDGES["all pass"])["precision_table"]


# One stratum, baseline of five: Φ(−2) = 2.3 %, after the rerun with ρ = 1/6 0.1 %; P(t₄ < −2) = 5.8 %.
def test_luck_is_told_with_and_without_the_rerun_and_with_its_z() -> None:
    said = pieces(EDGES["example A"])["luck_table"]
    assert "two looks at one baseline correlate by 0.17. It stays at 5 % with z = 1.64" in said
    assert re.search(r"→ \d\.\d\d\. 2\.3 % → 0\.1 % 1 stratum", said)
    luck = views.noise_bands(EDGES["example A"]).luck
    seen, most = (views.noise.arrow(*pair).replace("\u00a0", " ") for pair in
                  ((luck.once, luck.rerun), (luck.most_once, luck.most_rerun)))  # fmt: skip
    assert re.search(rf"by the flakes that were seen likely .*{seen} 1 stratum", said)
    assert re.search(rf"Strata, at most bound .*{most} 1 stratum", said)
    assert "No must-pass case is compared." in said
    assert "if bands had only 4 degrees of freedom and none rested on its floor. 5.8 % 1 stratum" in said


def test_a_drop_deeper_than_the_score_is_no_chance() -> None:
    rows = ["100", "000", "000", "000", "000", "010", *["000"] * 24]
    said = pieces(repeated_run({"orders": written(rows)}), m=30)
    assert "score is lower" in said["power_table"] or "sees nothing" in said["power_table"]
    assert "no such drop" in said["band_table"] or "sees nothing" in said["band_table"]


def test_the_time_that_the_repeats_cover_is_told_with_what_it_cannot_show() -> None:
    hours = pieces(repeated_run({"orders": written(A)}, apart=timedelta(hours=2)))["repeats_table"]
    assert "The repeats cover 8 hours, from 2026-11-02 10:00 to 2026-11-02 18:00." in hours
    assert "An hour cannot show a day's drift" in hours
    assert "Every repeat measured every case." in hours
    days = pieces(repeated_run({"orders": written(A)}, apart=timedelta(days=2)))["repeats_table"]
    assert "The repeats cover 8 days" in days
    assert "An hour" not in days
    assert "drifts more slowly" in days


def test_what_was_left_out_is_named_with_the_repeat_that_did_not_measure_it() -> None:
    said = pieces(EDGES["a gap"])
    assert "A-9 (orders): repeat 4 trial 8: error" in said["repeats_table"]
    assert "Every repeat measured" not in said["repeats_table"]
    assert "INCOMPLETE" in said["noise_answer"]


def test_a_stratum_outside_the_sample_is_said_to_be_so() -> None:
    said = pieces(EDGES["nothing drawn"])
    assert "account: not measured: the sample holds none of its cases" in said["noise_answer"]
    assert "the sample “pr” of suite.yaml (3 cases)" in said["noise_answer"]
    assert "Over 1 stratum" in said["noise_answer"]


def test_the_bands_belong_to_an_identity_a_suite_and_a_k() -> None:
    run = EDGES["example A"]
    said = pieces(run)["noise_grounds"]
    assert "The bands belong to steady (model offline/agent)" in said
    assert f"snapshot {run.suite.snapshot[:8]}, and to k = 2, at z = 2" in said


def test_the_self_check_stands_beside_what_the_formulas_say() -> None:
    noise = views.noise_bands(EDGES["example A"])
    assert isinstance(noise, Noise)
    said = text(views.self_check_table(noise, 500, 3))
    assert "500 simulated pull requests each" in said
    assert "12 strata as in a textbook" in said
    assert "This suite's own strata" in said
    assert "seed 3" in said
    fair = [each for each in self_check(noise, 500, 3) if each.fair]
    assert said.count("As the formula says.") + said.count("The formula lies outside") == len(fair)
    assert said.count("than with a known spread") == 2


def test_m_below_one_is_refused() -> None:
    with pytest.raises(CaseError, match="at least 1"):
        views.noise_bands(EDGES["example A"], m=0)


def test_the_charts_say_in_words_what_they_draw() -> None:
    noise = views.noise_bands(EDGES["a large stratum"], m=120)
    said = views.power_chart(noise).to_dict()["description"]
    assert re.search(r"orders \(sees most, m = 120\), 20 points: \d+ % after the rerun, \d+ % at one look", said)
    described = [
        views.band_chart(views.noise_bands(EDGES[name])).to_dict()["description"]
        for name in ("one repeat", "nothing drawn")
    ]
    assert described[0] == "An empty chart: nothing was measured."
    assert "account: not measured: not measured: the sample holds none" not in described[1]
    assert "account: not measured: the sample holds none of its cases" in described[1]
    import polars as pl

    for chart in (noise_charts.band_widths, lambda frame: noise_charts.power_curves(frame, sees=0.8)):
        with pytest.raises(ReportError, match="needs the column"):
            chart(pl.DataFrame({"stratum": ["orders"]}))


def test_what_a_candidates_key_says_stays_text_and_short() -> None:
    base = EDGES["example A"]
    made = {"name": "steady", "model": HOSTILE * 100, "params": {HOSTILE: {"deep": HOSTILE}}}
    run = repeated_run({"orders": written(A)}, manifest={"candidates": [made]})
    markup = shown(views.noise_grounds(run, views.noise_bands(run)))
    assert "<script" not in markup
    assert "&lt;script&gt;" in markup
    assert len(markup) < len(shown(views.noise_grounds(base, views.noise_bands(base)))) + 12_000


@pytest.mark.parametrize("name", ["a gap", "one repeat", "no baseline"])
def test_the_page_renders_from_an_archive_with_the_answer_first(name: str, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    EDGES[name].archive(tmp_path / "archive")
    given = {"run": str(tmp_path / "archive"), "pull_requests": 100}
    page = render(NOTEBOOK, given, tmp_path / "out").read_text("utf-8")
    first = re.search('<p class="ek-say">([^<]*)', page)[1]
    assert first.startswith("The bands are measured" if name == "a gap" else "Not measured")
    assert "Traceback (most recent call last)" not in page
