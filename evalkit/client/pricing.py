"""What calls cost, and the account of what was spent. An unknown cost is None, never 0."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.errors import BudgetExceeded
from evalkit.transcript import Usage

MILLION = 1_000_000
ASSUMED_OUTPUT = 1024
CHARACTERS_PER_TOKEN = 3


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens; `cached` is for input read from the provider's cache (None: `input`)."""

    input: float
    output: float
    cached: float | None = None

    def of(self, usage: Usage) -> float:
        """The cost of these tokens in US dollars: `usage.cached` of `usage.input` at the cached price."""
        cached = min(usage.cached, usage.input)
        cached_price = self.input if self.cached is None else self.cached
        whole = (usage.input - cached) * self.input + cached * cached_price + usage.output * self.output
        return whole / MILLION


def estimate(request: Mapping[str, Any]) -> Usage:
    """The tokens to set aside for a request: a third of its characters, and the most it may write."""
    prompt = json.dumps([request.get("messages"), request.get("tools")], ensure_ascii=False)
    asked = [request.get(name) for name in ("max_tokens", "max_completion_tokens")]
    limits = [limit for limit in asked if isinstance(limit, int)]
    return Usage(-(-len(prompt) // CHARACTERS_PER_TOKEN), max(limits, default=ASSUMED_OUTPUT))


class Account:
    """What may be spent, and what was: US dollars and calls, either of them without a limit where None.

    Each attempt is reserved before it is made and settled after it. What is reserved counts as spent until
    then, so that calls in flight cannot pass the limit together; and for good where the cost stays unknown.
    """

    def __init__(self, usd: float | None = None, calls: int | None = None) -> None:
        self.usd = usd
        self.calls = calls
        self.spent_usd = 0.0
        self.spent_calls = 0
        self.in_flight_usd = 0.0
        self.unpriced_calls = 0
        self._lock = threading.Lock()

    def reserve(self, usd: float | None) -> float:
        """Set an attempt's highest likely cost aside; returns what `settle` wants to have back.

        Raises BudgetExceeded where the attempt may pass a limit, or where its cost (None) cannot be held to
        one.
        """
        with self._lock:
            if self.calls is not None and self.spent_calls >= self.calls:
                raise BudgetExceeded(f"budget reached: {self.spent_calls} of {self.calls} calls made")
            if self.usd is not None:
                self._require(usd, self.usd)
            self.spent_calls += 1
            self.in_flight_usd += usd or 0.0
            return usd or 0.0

    def settle(self, reserved: float, usd: float | None) -> None:
        """Put an attempt's cost in place of what was set aside; None leaves that counted as spent."""
        with self._lock:
            self.in_flight_usd = max(0.0, self.in_flight_usd - reserved)
            self.spent_usd += reserved if usd is None else usd
            self.unpriced_calls += usd is None

    def _require(self, usd: float | None, limit: float) -> None:
        if usd is None:
            raise BudgetExceeded("a model without a known price cannot be held to a budget in US dollars")
        # The slack is the rounding of sums: three times 0.1 may be spent of 0.3.
        if self.spent_usd + self.in_flight_usd + usd > limit * (1 + 1e-9):
            raise BudgetExceeded(
                f"budget reached: {self.spent_usd:.4f} of {limit:.4f} US dollars spent, "
                f"{self.in_flight_usd:.4f} in flight, and the next call may cost {usd:.4f}"
            )
