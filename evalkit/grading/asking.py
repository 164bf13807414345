"""One grade, asked of one model: its reply, read exactly, or why there is none."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime

from evalkit.client import Client, Completion, ModelSpec
from evalkit.dialogue.told import SEEDED, seed_from
from evalkit.grading.panel import Grader, Panel, Subject
from evalkit.grading.parsing import parse_reply
from evalkit.grading.prompt import grader_messages, reply_schema
from evalkit.transcript import Grade

# A reply that the token limit cut is asked for once more, with so many times the tokens.
MORE_TOKENS = 4


async def ask(
    client: Client,
    panel: Panel,
    grader: Grader,
    subject: Subject,
    fingerprint: str,
    answer: int | None,
    series: str,
    timeout_s: float,
) -> Grade:
    """What a grader says of a transcript, or of one answer in it; it comes within `timeout_s` of wall clock.

    Raises BudgetExceeded where the budget does not allow the next call.
    """
    started, clock = datetime.now(UTC).isoformat(timespec="milliseconds"), time.monotonic()
    deadline = asyncio.get_running_loop().time() + timeout_s
    messages = grader_messages(panel.rubric, panel.instructions, subject.turns, subject.reference, answer)
    # An embedded model draws its own variation, by the series, so that a month differs from another; not by what is
    # graded, where a word of the transcript would get another draw.
    seed = seed_from(grader.which, grader.seed, series) if grader.spec.model.startswith(SEEDED) else None

    async def complete(spec: ModelSpec) -> Completion:
        return await client.complete(spec, messages, deadline=deadline, seed=seed, schema=reply_schema(panel.rubric))

    done = await complete(grader.spec)
    attempts = done.attempts
    larger = _with_more_tokens(grader.spec)
    if _is_cut(done) and larger is not None:
        done = await complete(larger)
        attempts += done.attempts
    grade = _read(done, panel, fingerprint)
    return replace(
        grade,
        model=grader.spec.model,
        series=series,
        turn=answer,
        attempts=tuple(replace(attempt, role="grader") for attempt in attempts),
        started=started,
        seconds=time.monotonic() - clock,
    )


def _read(done: Completion, panel: Panel, fingerprint: str) -> Grade:
    if done.status in ("error", "timeout"):
        return Grade(fingerprint, "error", reason=f"{done.status}: {done.reason}")
    if done.status == "empty" and not done.text.strip():
        return Grade(fingerprint, "unscored", reason=f"empty: {done.reason}")
    parsed = parse_reply(done.text, panel.rubric, "length" if _is_cut(done) else done.finish_reason)
    status = "unscored" if parsed.reason else "graded"
    return Grade(fingerprint, status, parsed.criteria, parsed.reason, parsed.flags, parsed.mode)


def _is_cut(done: Completion) -> bool:
    return done.status == "empty" and done.finish_reason == "length"


def _with_more_tokens(spec: ModelSpec) -> ModelSpec | None:
    limit = spec.parameters.get("max_tokens")
    return replace(spec, parameters={**spec.parameters, "max_tokens": limit * MORE_TOKENS}) if limit else None
