"""Labels to calibrate with, made up here: rules that are right more and less often than their scores say."""

from __future__ import annotations

import random
from typing import Any

from attribution.calibration import Forecast, Observation, Stream

RULES = {
    "enum.whole_word": ("enum", 0.95, 0.97),
    "enum.separated_words": ("enum", 0.85, 0.90),
    "numeric.whole_number": ("numeric", 0.95, 0.80),
    "summary.content_words": ("summary", 0.70, 0.55),
    "citation.cited_only": ("summary", 1.0, 0.75),
}
"""Type of field, score, and how often it is right."""


def seeded(seed: int) -> random.Random:
    """Return a random generator that gives the same numbers in each run."""
    return random.Random(seed)  # noqa: S311  # nothing is secret here


def label(number: int = 0, **changes: Any) -> Observation:
    given: dict[str, Any] = {
        "id": f"label-{number}",
        "message": f"message-{number // 2}",
        "conversation": f"conversation-{number // 6}",
        "section": "safety",
        "path": "risk_level",
        "field_type": "enum",
        "method": "enum",
        "rule": "whole_word",
        "score": 0.95,
        "is_used": True,
    }
    return Observation(**given | changes)


def labels(count: int, seed: int = 1) -> list[Observation]:
    """Claimed rows of five rules and eight fields, some of which are easier than others."""
    chance = seeded(seed)
    return [_drawn(number, chance) for number in range(count)]


def _drawn(number: int, chance: random.Random) -> Observation:
    rule = chance.choice(list(RULES))
    kind, score, right = RULES[rule]
    field = chance.randrange(8)
    probability = min(0.99, max(0.02, right + (field - 3.5) * 0.03))
    method, _, name = rule.partition(".")
    drawn = {"method": method, "rule": name, "field_type": kind, "score": score, "path": f"field_{field}"}
    return label(number, **drawn, is_used=chance.random() < probability, stream=chance.choice(list(Stream)))


def forecasts(count: int, seed: int = 1, *, too_sure: float = 0.0) -> list[Forecast]:
    """Probabilities that come true as often as they say, or less often by ``too_sure``."""
    chance = seeded(seed)
    said = [round(0.05 + 0.9 * chance.random(), 2) for _ in range(count)]
    return [Forecast(each, chance.random() < each - too_sure, 1.0, f"conversation-{number // 3}") for number, each in enumerate(said)]
