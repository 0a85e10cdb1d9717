"""Markers in disguise: look-alike brackets and letters, and characters without a shape at every place inside."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from attribution import DEFAULT_PROFILE, MarkerStatus, attribute

CONTEXT = {"safety": {"risk_level": "elevated"}}
MARKER = "[[SF:risk_level]]"
EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
FORMLESS = [each for each in EVERY if unicodedata.category(each) == "Cf" or "VARIATION SELECTOR" in unicodedata.name(each, "")]
SAME_SHAPE = dict(zip("aceopsxyijk", "асеорѕхуіјк", strict=True))


def statuses(answer: str) -> list[MarkerStatus]:
    attribution = attribute(response=answer, context=CONTEXT)
    assert attribution.clean_text == answer, "a near-marker is shown as written"
    return [marker.status for marker in attribution.markers]


def brackets(side: str, plain: str) -> list[str]:
    return [
        each
        for each in EVERY
        if each != plain
        and unicodedata.category(each) not in ("Cf", "Mn")
        and (
            unicodedata.normalize("NFKC", each) == plain
            or (f"{side} " in unicodedata.name(each, "") and "SQUARE BRACKET" in unicodedata.name(each, ""))
        )
    ]


@pytest.mark.parametrize("place", range(1, len(MARKER)))
def test_a_character_without_a_shape_makes_a_marker_malformed(place: int) -> None:
    for character in FORMLESS:
        answer = f"It is elevated {MARKER[:place]}{character}{MARKER[place:]}."
        assert statuses(answer) == [MarkerStatus.MALFORMED], f"{ord(character):04X}"


@pytest.mark.parametrize(("left", "right"), [*zip(brackets("LEFT", "["), brackets("RIGHT", "]"), strict=True)])
def test_a_bracket_that_looks_square_makes_a_marker_malformed(left: str, right: str) -> None:
    assert statuses(f"It is elevated {left}{left}SF:risk_level{right}{right}.") == [MarkerStatus.MALFORMED]
    assert statuses(f"It is elevated {left}SF:risk_level{right}.") == [MarkerStatus.MALFORMED]


@pytest.mark.parametrize("section", DEFAULT_PROFILE.registry.sections, ids=lambda section: section.name)
def test_one_letter_of_another_alphabet_makes_a_marker_malformed(section) -> None:
    for name in sorted(section.fields):
        for place, letter in enumerate(name):
            if letter in SAME_SHAPE:
                disguised = name[:place] + SAME_SHAPE[letter] + name[place + 1 :]
                assert statuses(f"So it is [[{section.prefix}:{disguised}]].") == [MarkerStatus.MALFORMED], disguised
