"""A megabyte of anything is answered in time: stored and attributed, or refused by its number of documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.sending import post
from tests.attribution.growth import cpu_seconds
from tests.sampling import sampled

MOST_SECONDS = 8.0
"""Of processor time. Two are meant; a slow or busy machine may take several times as long, and what this is about took minutes."""

WORDS = "staff open word not 3 "
RECORDS: dict[str, dict[str, Any]] = {
    "digits": {"response": "1" * 1_000_000},
    "numbers": {"response": "1 " * 500_000},
    "like base64": {"response": "aB3+/x9Q" * 125_000},
    "capitals": {"response": "Aa" * 500_000},
    "markers": {"response": "[[SF:risk_level]] " * 55_000},
    "many fields": {"response": "low " * 20_000, "context": {"safety": {f"n{number}": "low" for number in range(60_000)}}},
    "yes or no": {"response": "open not " * 10_000, "context": {"safety": {f"open_{number}": True for number in range(50_000)}}},
    "one field": {"response": WORDS * 100, "context": {"safety": {"note": WORDS * 45_000}}},
    "many sections": {"response": "on 3/8 ", "context": {f"s{number}": {"date": "2026-03-08"} for number in range(20_000)}},
    "question": {"user_text": WORDS * 45_000},
    "one document": {"response": "Staff open [1]. " * 500, "documents": ["1 " * 480_000]},
    "many documents": {"response": "Staff open [1].", "documents": ["a"] * 200_000},
    "many citations": {"response": "Staff open [1-20]. " * 50_000, "documents": ["Staff open."] * 20},
    "many quotes": {
        "response": "Staff open.",
        "documents": [{"id": "d", "text": WORDS * 18_000}],
        "citations": [{"id": "d", "quote": f"{WORDS}{number}"} for number in range(8_000)],
    },
}

TOO_MANY = ("many documents",)
"""Refused by their number, which the answer names: an event commits to each document by itself."""


@pytest.mark.parametrize("shape", sampled(RECORDS, more=5))
def test_a_megabyte_of_anything_is_answered_in_time(program, shape):
    numbers = iter(range(10))
    statuses: list[int] = []

    def send() -> None:
        record = {"id": f"hostile-{next(numbers)}", "response": "x", "context": {}} | RECORDS[shape]
        statuses.append(post(program, json.dumps(record).encode()).status_code)

    seconds = cpu_seconds(send, enough=MOST_SECONDS)
    assert set(statuses) == {422 if shape in TOO_MANY else 201}
    assert seconds <= MOST_SECONDS
