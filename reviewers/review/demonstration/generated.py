"""Invented turns in any number: the same shape and size as real ones, and the same record for the same number and seed.

A client and a provider last for one conversation, the answer for one turn. Four in a hundred answers contradict their record, twice
as many have some other fault that a guardrail names, and one uses nothing of the record. Nobody in here exists; telephone numbers
end in 555-01xx.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from reviewers.review.demonstration.casting import cast
from reviewers.review.demonstration.drafting import draft

BEGIN = datetime(2025, 4, 1, 6, tzinfo=UTC)
"""When turn 0 would have been answered; a million turns later it is March 2026."""

STEP = timedelta(seconds=30)
TURNS_PER_CONVERSATION = 4
_COMPLETENESS_THRESHOLD = 0.5


def generate(count: int, *, seed: int = 7, first: int = 1) -> Iterator[dict[str, Any]]:
    """Ingest records number ``first`` to ``first + count - 1``; each depends on its number and ``seed`` alone."""
    for number in range(first, first + count):
        yield _record(number, seed)


def _record(number: int, seed: int) -> dict[str, Any]:
    conversation, place = divmod(number - 1, TURNS_PER_CONVERSATION)
    begun_on = (BEGIN + conversation * TURNS_PER_CONVERSATION * STEP).date()
    case = cast(_random(f"{seed} conversation {conversation}"), begun_on)
    turn = draft(_random(f"{seed} turn {number}"), case)
    reference = f"GEN-{conversation + 1:06d}"
    return {
        "id": f"generated-{number:06d}",
        "conversation_id": reference,
        "turn_index": 2 * place + 2,
        "client_reference": reference,
        "provider": case.spoken["name"],
        "answered_at": (BEGIN + number * STEP).isoformat(),
        "model": turn.model,
        "prompt_version": turn.prompt_version,
        "schema_version": "7",
        "user_text": turn.user_text,
        "response": " ".join(turn.sentences),
        "context": case.context,
        "completeness": turn.completeness,
        "completeness_threshold": _COMPLETENESS_THRESHOLD,
        "citation_instruction": turn.is_instructed,
    }


def _random(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311  # invented text needs no secrecy
