"""Markers: the fixtures, and what holds for any answer."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given

from attribution import MarkerStatus, attribute, strip
from tests.attribution.cases import cases, misread
from tests.attribution.rendering import markers
from tests.attribution.strategies import answers, contexts

LETTERS = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
WORD = LETTERS | set("0123456789")


@pytest.mark.parametrize("file", ["markers", "near_markers", "quoted_markers"])
def test_a_marker_gets_its_status_place_and_claim(file: str) -> None:
    assert misread(cases(file), markers) == []


def slow_end(text: str, start: int) -> int:
    """Where the marker that begins at ``start`` ends by the written grammar, character by character; 0 if none does."""
    close = text.find("]", start)
    inner = text[start + 2 : close]
    prefix, colon, name = inner.partition(":")
    first, *others = name.split(".")
    is_marker = (
        text.startswith("[[", start)
        and text[close : close + 2] == "]]"
        and len(inner) <= 68
        and colon == ":"
        and all(0 < len(each) <= 64 and set(each) <= WORD for each in (prefix, first, *others))
        and prefix[0] in LETTERS
        and first[0] in LETTERS
    )
    return close + 2 if is_marker else 0


def slow_clean(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The clean text, and of each marker the raw start, the raw end and the place in the clean text."""
    kept = ""
    found: list[tuple[int, int, int]] = []
    place = 0
    while place < len(text):
        end = slow_end(text, place)
        if end:
            if text[place - 1 : place] == " ":
                kept = kept[:-1]
            found.append((place, end, len(kept)))
            place = end
        else:
            kept += text[place]
            place += 1
    return kept, found


@given(answers, contexts)
def test_clean_text_and_places_are_those_of_the_written_grammar(response: str, context: dict[str, Any]) -> None:
    attribution = attribute(response=response, context=context)
    clean, found = slow_clean(response)
    assert attribution.clean_text == strip(response) == clean
    removed = [marker for marker in attribution.markers if marker.status is not MarkerStatus.MALFORMED]
    assert [(*marker.raw, marker.position) for marker in removed] == found


@given(answers, contexts)
def test_every_marker_is_what_stands_at_its_place(response: str, context: dict[str, Any]) -> None:
    attribution = attribute(response=response, context=context)
    for marker in attribution.markers:
        assert response[slice(*marker.raw)] == marker.text
        if marker.status is MarkerStatus.MALFORMED:
            assert attribution.clean_text.startswith(marker.text, marker.position or 0)


@given(answers, contexts)
def test_markers_stand_in_the_order_of_the_answer_and_never_overlap(response: str, context: dict[str, Any]) -> None:
    found = attribute(response=response, context=context).markers
    assert all(first.raw[1] <= second.raw[0] for first, second in pairwise(found))
    assert all((first.position or 0) <= (second.position or 0) for first, second in pairwise(found))


@given(answers, contexts)
def test_only_resolved_markers_and_their_duplicates_have_a_footnote(response: str, context: dict[str, Any]) -> None:
    attribution = attribute(response=response, context=context)
    counted = {MarkerStatus.RESOLVED, MarkerStatus.DUPLICATE}
    assert all((marker.footnote is not None) is (marker.status in counted) for marker in attribution.markers)
    resolved = [marker.footnote for marker in attribution.markers if marker.status is MarkerStatus.RESOLVED]
    assert resolved == list(range(1, len(resolved) + 1))
    assert sorted(row.footnote for row in attribution.fields if row.footnote) == resolved
