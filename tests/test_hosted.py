"""The shipped shootout of hosted models: names and prices of LiteLLM's list, keys, and a whole run against a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT
from misbehaving_server import USAGE, MisbehavingServer
from typer.testing import CliRunner

from evalkit.cli import app
from evalkit.runs import load_run
from evalkit.shootout import load_shootout

HOSTED = ROOT / "cases/shootouts/hosted.yaml"
KEYS = ("DEEPINFRA_API_KEY", "OPENAI_API_KEY", "XAI_API_KEY")


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EVALKIT_STORE", str(tmp_path / "s.sqlite"))
    monkeypatch.chdir(ROOT)


def listed(model: str) -> dict:
    import litellm

    name, provider, _, _ = litellm.get_llm_provider(model)
    return litellm.model_cost.get(f"{provider}/{name}") or litellm.model_cost[name]


@pytest.mark.usefixtures("no_keys")
def test_a_missing_key_is_one_line_that_names_the_variable_before_anything_is_played(monkeypatch) -> None:
    monkeypatch.setenv("XAI_API_KEY", "an-invented-key")
    done = CliRunner().invoke(app, ["run", str(HOSTED)])
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        "missing API key: set DEEPINFRA_API_KEY, OPENAI_API_KEY in the environment or in .env"
    ]
    again = CliRunner().invoke(app, ["runs", "--json"])
    assert json.loads(again.stdout) == {"runs": []}


def test_it_names_the_models_that_the_seeds_name_and_each_is_in_litellms_list_with_a_price() -> None:
    models = {each.name: each.model for each in load_shootout(HOSTED).candidates}
    assert {"minimax-m2.7", "minimax-m3", "gpt-4.1-mini", "kimi-k3"} <= models.keys()
    for model in models.values():
        assert listed(model)["input_cost_per_token"] > 0
        assert listed(model)["output_cost_per_token"] > 0
        assert listed(model)["mode"] == "chat"


@pytest.mark.usefixtures("no_keys")
def test_all_candidates_play_against_a_server_in_place_of_each_provider_at_litellms_prices(tmp_path) -> None:
    with MisbehavingServer(reply=lambda request: "ROUTE: escalate\nTEAM: billing\n\nPassed on.") as server:
        shootout = HOSTED.read_text("utf-8").replace(
            "    price: listed", f'    price: listed\n    api_base: "{server.url}"'
        )
        path = tmp_path / "hosted.yaml"
        path.write_text(shootout.replace("name: hosted\n", f"name: hosted\nsuite: {ROOT / 'cases'}\n", 1))
        done = CliRunner().invoke(
            app,
            [
                "run",
                str(path),
                "--trials",
                "1",
                "--case",
                "BILL-04",
                "--case",
                "BILL-01",
                "--json",
            ],
        )
        assert done.exit_code == 0, done.output
        names = {each.name: each.model for each in load_shootout(path).candidates}
        assert {request.body["model"] for request in server.requests} == {
            model.partition("/")[2] for model in names.values()
        }
        assert all(
            "temperature" not in request.body for request in server.requests if "mini" not in request.body["model"]
        )
    said = json.loads(done.stdout)
    assert said["slots"]["completed"] == said["calls"] == 2 * len(names)
    trials = load_run("latest").trials
    for name, model in names.items():
        # 20 tokens in and 5 out, as the server says.
        price = listed(model)
        usd = (
            USAGE["prompt_tokens"] * price["input_cost_per_token"]
            + USAGE["completion_tokens"] * price["output_cost_per_token"]
        )
        assert trials.filter(candidate=name)["usd"].to_list() == pytest.approx([usd] * 2, rel=1e-9)
    rendered = CliRunner().invoke(app, ["report", "latest", "--out", str(tmp_path), "--notebook", "10_shootout"])
    assert rendered.exit_code == 0, rendered.output
    page = next(tmp_path.glob("*/10_shootout.html")).read_text("utf-8")
    assert all(name in page for name in names)
    assert "Which for which kind of work" in page
