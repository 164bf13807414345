"""Figures that others published of people and model graders, recomputed by the functions that the notebooks use."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from evalkit.stats.agreement import kappa, landis_koch, relatives
from evalkit.stats.alpha import count, krippendorff, many_raters

DATA = Path(__file__).parents[2] / "shared/data"


def path(name: str) -> Path:
    found = DATA / name
    if not found.is_file():
        pytest.skip(f"the shared data set {found.parent.name} is not here")
    return found


def loaded(name: str) -> list | dict:
    return json.loads(path(name).read_text("utf-8"))


def rows(name: str) -> list[dict[str, str]]:
    with path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def said(table: Iterable[Iterable[float]]) -> tuple[list[int], list[int]]:
    pairs = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(round(n))]
    return [i for i, _ in pairs], [j for _, j in pairs]


def near(value: float | None, published: float | None, digits: int) -> bool:
    """Whether a value is the one printed with so many digits."""
    return value is published is None or abs(value - published) <= 0.500001 * 10**-digits


# What each entry prints, and with how many digits.
EXAMPLES = (
    "feinstein-cicchetti-1990-A", "feinstein-cicchetti-1990-B", "gerstman-xray-10.1", "wikipedia-grants",
    "wikipedia-same-po-1", "wikipedia-same-po-2", "sas-3x3", "gwet-abstractors-3x3", "gwet-diagnosis-4x4",
    "gwet-4raters-missing", "fleiss-1971-diagnoses", "fleiss-wikipedia-10x14", "randolph-7-1-3-5", "randolph-6-1-0",
    "randolph-near-degenerate", "irr-anxiety-raters2-3", "cohen-1968-weighted", "degenerate-one-class",
    "landis-koch-1977-bands",
)  # fmt: skip


def digits_of(number: float) -> int:
    return len(repr(float(number)).partition(".")[2])


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_worked_example_gives_its_published_and_its_recomputed_figures(name: str) -> None:
    examples = {each["id"]: each for each in loaded("kappa_worked_examples/examples.json")}
    assert set(examples) == set(EXAMPLES)
    example = examples[name]
    {
        "table2": check_table,
        "proportions": check_proportions,
        "raw_raters_columns": check_columns,
        "raw_raters_rows": check_rows,
        "counts_items_x_categories": check_counts,
        "bands": check_bands,
    }[example["kind"]](example)


def check_pair(a: list, b: list, labels: Iterable, published: dict, recomputed: dict) -> None:
    labels = list(labels)
    for weights, key in ((None, "cohen"), ("linear", "cohen_linear"), ("quadratic", "cohen_quadratic")):
        if key in recomputed:
            got, theirs = kappa(a, b, labels=labels, weights=weights, resamples=0), recomputed[key]
            assert got.value == pytest.approx(theirs["kappa"], abs=1e-9)
            assert (got.ase, got.ase_zero, got.z) == pytest.approx(
                (theirs["se"], theirs["se0"], theirs["z0"]), abs=1e-9
            )
    plain = kappa(a, b, labels=labels, resamples=0)
    beside = relatives(a, b, labels=labels, resamples=0)
    for key, value in (("scott", beside.scott_pi), ("gwet_ac1", beside.ac1), ("brennan_prediger", beside.pabak),
                       ("krippendorff_nominal", beside.alpha2)):  # fmt: skip
        if recomputed.get(key) is not None:
            assert value == pytest.approx(recomputed[key], abs=1e-9)
    linear, quadratic = (kappa(a, b, labels=labels, weights=w, resamples=0).value for w in ("linear", "quadratic"))
    printed = {
        "po": beside.raw.value,
        "percent_agreement": beside.raw.value,
        "kappa": plain.value,
        "cohen": plain.value,
        "ase": plain.ase,
        "cohen_se": plain.ase,
        "ase_h0": plain.ase_zero,
        "z": plain.z,
        "scott": beside.scott_pi,
        "gwet_ac1": beside.ac1,
        "brennan_prediger": beside.pabak,
        "krippendorff": beside.alpha2,
        "cohen_linear": linear,
        "cohen_quadratic": quadratic,
        "cohen_linear_on_5_present_categories": linear,
        "cohen_quadratic_on_5_present_categories": quadratic,
    }
    for key, value in printed.items():
        if key in published:
            shown = published[key]
            assert near(value, shown, 0 if shown is None else digits_of(shown)), (key, value, shown)


def check_table(example: dict) -> None:
    table, published = example["data"], example["published"]
    recomputed = example["recomputed"]
    if published.get("kappa", 0) is None:
        got = kappa(*said(table), labels=[0, 1])
        assert (got.value, got.measured, got.reason) == (None, False, "both raters used one class")
        assert relatives(*said(table), labels=[0, 1]).raw.value == published["po"] == 1.0
        return
    check_pair(*said(table), range(len(table)), published, recomputed)
    if "linear_weighted" in published:
        got, theirs = kappa(*said(table), labels=range(3), weights="linear", resamples=0), published["linear_weighted"]
        ends = got.value - 1.959964 * got.ase, got.value + 1.959964 * got.ase
        assert [round(each, 4) for each in (got.value, got.ase, got.ase_zero, got.z, *ends)] == [
            theirs["kappa"], theirs["ase"], theirs["ase_h0"], theirs["z"], *theirs["ci95"]
        ]  # fmt: skip


def check_proportions(example: dict) -> None:
    published = example["published"]
    a, b = said([[share * published["n"] for share in row] for row in example["data"]])
    assert len(a) == published["n"]
    weighted = kappa(a, b, weights=published["weights"], resamples=0)
    assert near(weighted.value, published["weighted_kappa"], 3)
    assert weighted.value == pytest.approx(example["recomputed"]["cohen_weighted_1968"]["kappa"], abs=1e-9)
    assert near(kappa(a, b, resamples=0).value, published["kappa"], 3)
    for weights in ("linear", "quadratic"):
        expected = example["recomputed"][f"cohen_{weights}"]["kappa"]
        assert kappa(a, b, weights=weights, resamples=0).value == pytest.approx(expected, abs=1e-9)


def check_columns(example: dict) -> None:
    units, published = list(zip(*example["data"].values(), strict=True)), example["published"]
    got, alpha = many_raters(count(units, range(1, 6))), krippendorff(units)
    assert near(got.agreement, published["gwet_pa"], 3)
    assert near(got.ac1, published["gwet_ac1"], 3)
    assert near(got.fleiss, published["fleiss"], 3)
    assert near(alpha.value, published["krippendorff"], 3)
    theirs = example["recomputed"]
    assert (got.agreement, got.ac1, got.fleiss, alpha.value) == pytest.approx(
        (theirs["pa"], theirs["gwet_ac1"], theirs["fleiss"], theirs["krippendorff"]), abs=1e-12
    )


def check_rows(example: dict) -> None:
    units, published = example["data"], example["published"]
    if "fleiss" not in published:
        a, b = zip(*units, strict=True)
        check_pair(list(a), list(b), sorted({*a, *b}), published, example["recomputed"])
        return
    counts = count(units, range(1, 6))
    got = many_raters(counts)
    assert near(got.fleiss, published["fleiss"], 7)
    assert got.fleiss == pytest.approx(example["recomputed"]["fleiss"], abs=1e-12)
    assert counts.sum(axis=0).tolist() == published["category_totals"]


def check_counts(example: dict) -> None:
    got, published = many_raters(example["data"]), example["published"]
    assert got.fleiss == pytest.approx(example["recomputed"]["fleiss"], abs=1e-9)
    for key, value in (
        ("fleiss", got.fleiss),
        ("percent_agreement", got.agreement),
        ("randolph_free_marginal", got.free),
    ):
        if key in published:
            assert value == pytest.approx(
                published[key], abs=1.5e-6 if key != "fleiss" else 10 ** -digits_of(published[key])
            )
    for row, agreement in zip(example["data"], published.get("P_i", []), strict=False):
        assert near(many_raters([row]).agreement, agreement, 3)


def check_bands(example: dict) -> None:
    for least, most, word in example["data"]:
        assert landis_koch(-0.01 if least is None else most) == word
        assert landis_koch(-1 if least is None else least) == (word if least != 0 else "slight")


def cells() -> list[tuple[dict, list[dict[str, str]]]]:
    """The published figures of each set and judge, with its judgements."""
    found: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for name in ("judgements", "processed_judgements"):
        for row in rows(f"llmbar_judges/{name}.csv"):
            found[row["set"], row["evaluator"]].append(row)
    summaries = [*loaded("llmbar_judges/SUMMARY.json"), *loaded("llmbar_judges/PROCESSED_SUMMARY.json")]
    return [(each, found[each["set"], each["evaluator"]]) for each in summaries]


def test_all_349_published_kappas_of_llmbar_come_out() -> None:
    # As published: the judge's "2", and what could not be read, became 0, while people's 2 stayed 2.
    coded = {"1": 1, "2": 0, "": 0}
    checked = 0
    for summary, judgements in cells():
        people = [int(row["human_label"]) for row in judgements]
        there, swapped = ([coded[row[side]] for row in judgements] for side in ("winner_noswap", "winner_swap"))
        for key, a, b in (("False", people, there), ("True", people, swapped), ("agreement", there, swapped)):
            got = kappa(a, b, resamples=0)
            assert got.value == pytest.approx(summary["published"][f"kappa_{key}"], abs=1e-9), (summary["set"], key)
            assert got.n == summary["n"]
        checked += 1
    assert checked == 349


def test_with_one_vocabulary_the_judge_agrees_with_people_as_it_does() -> None:
    wanted = "Natural", "GPT-4/Vanilla"
    ((summary, judgements),) = [cell for cell in cells() if (cell[0]["set"], cell[0]["evaluator"]) == wanted]
    people, judge = ([row[key] for row in judgements] for key in ("human_label", "winner_noswap"))
    # The published figure: "2" of the judge as 0.
    wrong = kappa([int(label) for label in people], [{"1": 1, "2": 0}[label] for label in judge], resamples=0)
    assert round(wrong.value, 4) == round(summary["published"]["kappa_False"], 4) == 0.2678
    right = kappa(people, judge, labels=["1", "2"])
    assert round(right.value, 4) == 0.8977
    assert right.value == pytest.approx(summary["recomputed"]["kappa_False_correct"], abs=1e-9)
    assert right.low > 0.75
    assert relatives(people, judge, positive="1").raw.value == 0.95
    # A declared vocabulary refuses the fault.
    with pytest.raises(ValueError, match="'0' is not among the declared labels '1', '2'"):
        kappa(people, ["0" if label == "2" else label for label in judge], labels=["1", "2"])


def test_the_corrected_kappas_of_llmbar_come_out() -> None:
    # What could not be read is a class of its own there; here it may also be left out.
    for summary, judgements in cells():
        people = [row["human_label"] for row in judgements]
        for key, side in (("False", "winner_noswap"), ("True", "winner_swap")):
            judge = [row[side] for row in judgements]
            if "" not in judge:
                got = kappa(people, judge, labels=["1", "2"], resamples=0)
                assert got.value == pytest.approx(summary["recomputed"][f"kappa_{key}_correct"], abs=1e-9)
                assert got.left_out == 0
            else:
                got = kappa(people, [label or None for label in judge], labels=["1", "2"], resamples=0)
                assert got.left_out == judge.count("")


def test_people_and_judges_of_the_arena_prefer_as_published() -> None:
    summary = loaded("arena_human_vs_judge/SUMMARY.json")["recomputed"]
    votes = rows("arena_human_vs_judge/labels.csv")
    for cell in summary:
        here = [row for row in votes if (row["opponent"], row["judge"]) == (cell["opponent"], cell["judge"])]
        claude = ["a" if row["model_a"].startswith("claude") else "b" for row in here]
        people = [row["human_winner"].removeprefix("model_") == side for row, side in zip(here, claude, strict=True)]
        judge = [
            None if not row["judge_pick"] else row["judge_pick"].lower() == side
            for row, side in zip(here, claude, strict=True)
        ]
        beside, got = relatives(people, judge, resamples=0), kappa(people, judge, resamples=0)
        wins = beside.labels.index(True)
        assert (beside.n, beside.left_out) == (cell["n"], cell["judge_missing"])
        assert beside.counts_a[wins] / beside.n == pytest.approx(cell["human_claude_win_rate"], abs=1e-12)
        assert beside.counts_b[wins] / beside.n == pytest.approx(cell["judge_claude_win_rate"], abs=1e-12)
        assert beside.raw.value == pytest.approx(cell["agreement"], abs=1e-12)
        assert got.value == pytest.approx(cell["kappa_claude_vs_opponent"], abs=1e-12)
        position = kappa(
            [row["human_winner"][-1].upper() for row in here],
            [row["judge_pick"] or None for row in here],
            labels=["A", "B"],
            resamples=0,
        )
        assert position.value == pytest.approx(cell["kappa_position_AB"], abs=1e-12)
        if (cell["opponent"], cell["judge"]) == ("gemini-2.5-pro", "gpt-4o-mini"):
            shares = beside.counts_a[wins] / beside.n, beside.counts_b[wins] / beside.n
            assert [round(share, 4) for share in shares] == [0.2355, 0.1594]
            # One verdict, two kappas: of who won, and of the side that won.
            assert (round(got.value, 3), round(position.value, 3)) == (0.014, 0.370)


@pytest.mark.parametrize(
    ("name", "published", "units"),
    [("dices_350_crowdsourced", 0.16086021565770392, 350), ("dices_990", 0.14324966231784253, 990)],
)
def test_the_published_alphas_of_dices_come_out(name: str, published: float, units: int) -> None:
    ratings = [each["individual"] for each in loaded("dices_labels/labels.json")[name]]
    got = krippendorff(ratings, labels=["No", "Unsure", "Yes"])
    assert got.value == pytest.approx(published, abs=1e-12)
    assert got.n == units
    assert got.ratings == sum(map(len, ratings))


PASSES = {"pass", "satisfied", "satisfactory", "compliant", "correct"}


def test_judges_of_tau2_agree_with_the_oracle_as_recomputed() -> None:
    verdicts: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for line in path("tau2_judge_vs_oracle/verdicts.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        verdicts[row["domain"], row["judge_prompt"]].append(row)
    kappas: dict[str, list[float]] = defaultdict(list)
    for cell in loaded("tau2_judge_vs_oracle/SUMMARY.json"):
        here = verdicts[cell["domain"], cell["judge_prompt"]]
        oracle, judge = [row["tau2_success"] for row in here], [row["judge_verdict"] in PASSES for row in here]
        got, beside = kappa(oracle, judge, labels=[True, False], resamples=0), relatives(oracle, judge, resamples=0)
        assert got.value == pytest.approx(cell["cohen_kappa"], abs=1e-12)
        assert beside.raw.value == pytest.approx(cell["percent_agreement"], abs=1e-12)
        assert round(beside.raw.value * beside.n) == cell["recomputed_agree_normalised"]
        kappas[cell["domain"]].append(round(got.value, 3))
        if (cell["domain"], cell["judge_prompt"]) == ("telecom", "policy_chain_of_thought_v1"):
            # Off its menu the judge's words are no verdict: as published, with "compliant" for a disagreement, 42.1 %.
            assert got.value == pytest.approx(0.4625, abs=5e-5)
            assert round(cell["published"]["agree_count"] / len(here), 3) == 0.421
            with pytest.raises(ValueError, match="not among the declared labels 'pass', 'fail'"):
                kappa(["pass"] * len(here), [row["judge_verdict"] for row in here], labels=["pass", "fail"])
        if (cell["domain"], cell["judge_prompt"]) == ("retail", "quick_triage_v1"):
            # High agreement, no kappa: the judge passed 112 of 114.
            assert Counter(judge)[True] == 112
            assert beside.negative.value == pytest.approx(2 * 2 / (2 * 2 + 44))
    assert kappas == {
        "airline": [-0.163, -0.079, 0.368, 0.063],
        "retail": [0.174, 0.114, 0.225, 0.051],
        "telecom": [0.306, 0.462, 0.399, 0.780],
    }
