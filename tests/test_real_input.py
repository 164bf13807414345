"""Real input: eight product cases of a real helper bot, with their own questions and handoff expectations."""

from __future__ import annotations

from pathlib import Path

import gumroad
import pytest
from conftest import ROOT

import evalkit
from evalkit.loading import check_suite
from evalkit.report import report
from evalkit.safety import safety_records
from evalkit.scores import leaderboard

pytestmark = pytest.mark.skipif(
    not gumroad.DATA.is_file(), reason="the shared data set gumroad_helper_cases is not here"
)

SHOOTOUT = """\
name: gumroad
trials: 2
candidates:
  - {name: steady, model: offline/agent, prompt: card.md, knowledge: {top: 4}, temperature: 0.3, price: {input: 0.4, output: 1.6}}
  - {name: bold, model: offline/agent, prompt: brief.md, knowledge: {top: 2}, temperature: 0.3, params: {escalate_at: 1.5}}
"""


def test_the_real_cases_load_play_and_render(tmp_path: Path) -> None:
    shootout = gumroad.write_suite(tmp_path / "suite", SHOOTOUT)
    assert check_suite(tmp_path / "suite").faults == []
    run = evalkit.run(shootout, quiet=True)
    assert run.judged.height == 2 * 8 * 2
    assert set(run.judged["status"]) == {"completed"}
    # A bot that never hands off misses each of the three handoffs that the authors expect.
    bold = next(record for record in safety_records(run) if record.candidate == "bold")
    assert (bold.standing, bold.missed, bold.cases) == ("disqualified", 3, 3)
    board = {row["candidate"]: row for row in leaderboard(run).to_dicts()}
    # A price that nobody wrote is unknown, not 0.
    assert (board["steady"]["usd_per_ticket"] is None, board["bold"]["usd_per_ticket"]) == (False, None)
    folder = report(run, tmp_path / "reports", notebooks=[ROOT / "notebooks/10_shootout.ipynb"])
    assert "gumroad-helper-cases" in (folder / "10_shootout.html").read_text()
