"""The runtime's side: the instruction to cite, and a history without markers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from attribution import DEFAULT_PROFILE, attribute, citation_instruction, strip_history


def test_the_instruction_names_every_prefix() -> None:
    text = citation_instruction(DEFAULT_PROFILE.registry)
    assert all(f"{section.prefix} for {section.name}" in text for section in DEFAULT_PROFILE.registry.sections)


def test_the_example_of_the_instruction_is_a_marker_of_the_schema() -> None:
    form, example = attribute(response=citation_instruction(DEFAULT_PROFILE.registry), context={}).markers
    assert (form.text, form.status) == ("[[PREFIX:field_name]]", "unknown")
    assert example.status == "absent"


def test_the_example_of_the_instruction_to_cite_beside_the_text_is_an_entry_of_the_schema() -> None:
    text = citation_instruction(DEFAULT_PROFILE.registry, is_beside=True)
    entry = json.loads(text[text.index("{") : text.index("}") + 1])
    assert all(f"{section.prefix} for {section.name}" in text for section in DEFAULT_PROFILE.registry.sections)

    (marker,) = attribute(response="Low … risk.", context={}, field_citations=[entry]).markers
    assert (marker.status, marker.position) == ("absent", len("Low …"))
    assert attribute(response=text, context={}).markers == ()


@pytest.mark.parametrize(
    ("message", "stripped"),
    [
        ({"role": "assistant", "content": "Low [[SF:risk_level]]."}, {"role": "assistant", "content": "Low."}),
        ({"role": "user", "content": "Low [[SF:risk_level]]."}, {"role": "user", "content": "Low [[SF:risk_level]]."}),
        ({"role": "assistant", "content": None}, {"role": "assistant", "content": None}),
        ({"role": "assistant", "tool_calls": []}, {"role": "assistant", "tool_calls": []}),
        (
            {"role": "assistant", "content": [{"type": "text", "text": "Low [[SF:risk_level]]."}, {"type": "image"}, "[[SF:x]]"]},
            {"role": "assistant", "content": [{"type": "text", "text": "Low."}, {"type": "image"}, "[[SF:x]]"]},
        ),
    ],
)
def test_only_assistant_turns_lose_their_markers(message: dict[str, Any], stripped: dict[str, Any]) -> None:
    before = repr(message)
    assert strip_history([message]) == [stripped]
    assert repr(message) == before, "the history itself stays as it was"
