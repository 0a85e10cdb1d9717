"""Whole turns as people write them, invented here, with every field labelled: what is found, and what is only mentioned."""

from __future__ import annotations

from typing import Any

import pytest

from attribution import attribute

TURNS: tuple[tuple[str, dict[str, Any], set[str]], ...] = (
    ("We have you down for Tuesday, March 10th at 2:30 pm.", {"date": "2026-03-10", "time": "14:30", "note_count": 3}, {"date", "time"}),
    ("Yes, they are open on Sundays and parking is free.", {"open_on_sundays": True, "parking": "free"}, {"open_on_sundays", "parking"}),
    ("The practice is not accepting new clients.", {"accepting_new_clients": False, "city": "Norwich"}, {"accepting_new_clients"}),
    ("A first visit costs $85.", {"fee": 85, "city": "Norwich", "rating": 4.5}, {"fee"}),
    (
        "Alder House Dental in Norwich has 12 dentists.",
        {"practice_name": "Alder House Dental", "city": "Norwich", "dentists": 12, "street": "Mill Lane"},
        {"practice_name", "city", "dentists"},
    ),
    (
        "It starts on 4 May at noon.",
        {"start_date": "2026-05-04", "start_time": "12:00", "end_date": "2026-06-04"},
        {"start_date", "start_time"},
    ),
    (
        "Pets are welcome there, and wheelchairs can get in.",
        {"pets_welcome": True, "wheelchair_access": True, "has_garden": True},
        {"pets_welcome", "wheelchair_access"},
    ),
    ("She speaks Polish and English.", {"languages": ["Polish", "English"], "gender": "female"}, {"languages"}),
    ("I found 3 therapists. How many sessions would you like?", {"sessions": 3, "therapists_found": 3}, {"therapists_found"}),
    (
        "The train leaves at 6:05 am and takes 90 minutes.",
        {"departure_time": "06:05", "duration": "90 minutes", "price": "$42"},
        {"departure_time", "duration"},
    ),
)


@pytest.mark.parametrize(("answer", "fields", "meant"), TURNS, ids=[answer for answer, _, _ in TURNS])
def test_what_is_meant_is_found_and_nothing_else(answer: str, fields: dict[str, Any], meant: set[str]) -> None:
    attribution = attribute(response=answer, context={"provider_genome": fields})
    assert {row.field.path for row in attribution.fields if row.is_used} == meant
