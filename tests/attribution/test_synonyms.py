"""Groups of words for one another: what may be written, and that what is shipped holds together."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import DEFAULT_PROFILE, ProfileError, attribute, read_profile
from attribution.concepts import read_synonyms
from attribution.text import stem, words_of

SHIPPED: list[str] = DEFAULT_PROFILE.data["synonyms"]
GROUPS = [line for line in SHIPPED if line and not line.startswith("#")]


def phrases(line: str) -> list[str]:
    head, _, rest = line.partition("~")
    return [phrase.strip() for phrase in (head, *rest.split(","))]


def test_there_are_many_groups_and_each_has_a_head_of_its_own() -> None:
    heads = Counter(phrases(line)[0] for line in GROUPS)
    assert len(heads) >= 250
    assert heads.most_common(1)[0][1] == 1


def test_each_group_has_several_phrases_in_lower_case_and_none_twice() -> None:
    assert [line for line in GROUPS if len(phrases(line)) < 2] == []
    assert [line for line in GROUPS if line != line.lower().strip()] == []
    assert [line for line in GROUPS if len(set(phrases(line))) < len(phrases(line))] == []


def test_each_phrase_is_recognised_and_by_its_group() -> None:
    synonyms = DEFAULT_PROFILE.vocabulary.synonyms
    unrecognised = [
        (line, phrase)
        for line in GROUPS
        for phrase in phrases(line)
        if f"~{phrases(line)[0]}".replace("'", " ").replace("-", " ") not in synonyms.groups_of([stem(word) for word in words_of(phrase)])
    ]
    assert unrecognised == []


@given(st.lists(st.lists(st.sampled_from(["calm", "at ease", "run", "on foot", "tea", "walk in"]), min_size=1, max_size=4), max_size=4))
def test_a_phrase_is_kin_to_all_of_its_group(groups: list[list[str]]) -> None:
    synonyms = read_synonyms([f"{number} ~ {', '.join(group)}" for number, group in enumerate(groups)])
    for number, group in enumerate(groups):
        for phrase in group:
            assert f"~{number}" in synonyms.groups_of(["before", *map(stem, words_of(phrase)), "after"])


@given(st.text(max_size=40))
def test_any_line_is_read_or_refused_with_its_number(line: str) -> None:
    refusal = "line 2"
    try:
        read_synonyms(["a ~ b", line])
    except ProfileError as error:
        refusal = str(error)
    assert "line 2" in refusal


def test_remarks_and_empty_lines_are_passed_over() -> None:
    assert read_synonyms(["# tea ~ coffee", "", "  ", "tea ~ infusion  # as some say"]).groups == {"tea": ("~tea",), "infusion": ("~tea",)}


@pytest.mark.parametrize("line", ["tea", "tea ~", "~ tea", "tea ~ , infusion", "tea ~ …"])
def test_what_is_no_group_is_refused(line: str) -> None:
    with pytest.raises(ProfileError, match="synonyms: line 1"):
        read_synonyms([line])


def test_an_organisation_can_add_words_of_its_own() -> None:
    profile = read_profile({**DEFAULT_PROFILE.data, "synonyms": [*SHIPPED, "ward seven ~ the lighthouse"]})
    context = {"client_signal": {"note": "She stayed on ward seven for nine days, with her guitar at hand."}}
    answer = "Your nine days in the Lighthouse, guitar at hand, are behind you."
    (before,) = attribute(response=answer, context=context).fields
    (row,) = attribute(response=answer, context=context, profile=profile).fields
    assert "Lighthouse" not in before.trace
    assert "‘the Lighthouse’ at 18–32 (for ‘ward seven’, in no other text)" in row.trace
