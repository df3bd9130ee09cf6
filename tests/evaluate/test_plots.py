"""Axes whose ticks are short numbers, and nothing that sticks out of them."""

from __future__ import annotations

import re

import pytest

from podcast_scraper.evaluate.plots import latency_plot


@pytest.mark.parametrize(
    ("p95", "ticks"),
    [
        (22.1272, ["0", "10", "20", "30", "40"]),
        (0.31, ["0", "0.1", "0.2", "0.3", "0.4"]),
        (1000.0, ["0", "250", "500", "750", "1000"]),
        (0.0, ["0", "0.25", "0.5", "0.75", "1"]),
    ],
)
def test_the_axis_ends_at_a_round_number(p95: float, ticks: list[str]) -> None:
    svg = latency_plot({"bm25": {"all": {"p50": p95 / 2, "p95": p95}}})
    assert re.findall(r'text-anchor="middle">([\d.]+)<', svg) == ticks
