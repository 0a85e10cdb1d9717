"""Citations of fields beside the text: the fixtures, and that they say the same as markers in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attribution import (
    Attribution,
    Field,
    FieldAttribution,
    GuardrailCode,
    InputError,
    Marker,
    MarkerStatus,
    attribute,
    canonical_bytes,
    decode,
    encode,
    strip,
)
from tests.attribution.cases import all_cases, cases, misread
from tests.attribution.growth import grows_with
from tests.attribution.rendering import findings, markers
from tests.attribution.strategies import answers, contexts

CONTEXT = {"safety": {"risk_level": "elevated"}, "therapeutic_fit": {"fit_score": 0.85}}
ANSWER = "Your risk is elevated, and the fit comes out at 85%."


def test_each_entry_gets_its_status_place_and_words() -> None:
    assert misread(cases("stated"), markers) == []


def entry_of(marker: Marker) -> dict[str, Any]:
    """What a model would send beside the text in the place of a marker."""
    start, end = marker.claim or (0, 0)
    return {"tool": marker.prefix, "field": marker.name, "start": start, "end": end}


def rows_of(attribution: Attribution) -> tuple[tuple[FieldAttribution, ...], str]:
    return attribution.fields, attribution.source


def check_that_entries_say_what_markers_do(marked: Attribution, stated: Attribution) -> None:
    assert repr(rows_of(stated)) == repr(rows_of(marked))  # a value may be NaN
    assert stated.clean_text == marked.clean_text
    assert sum(each.is_beside for each in stated.markers) == sum(each.footnote is not None for each in marked.markers)


@given(answers, contexts)
def test_the_same_citations_beside_the_text_give_the_same_rows(response: str, context: dict[str, Any]) -> None:
    marked = attribute(response=response, context=context)
    cited = [each for each in marked.markers if each.footnote is not None]
    assume(all(each.claim for each in cited) and strip(marked.clean_text) == marked.clean_text)

    stated = attribute(response=marked.clean_text, context=context, field_citations=list(map(entry_of, cited)))

    check_that_entries_say_what_markers_do(marked, stated)


def test_so_do_those_of_every_fixture() -> None:
    tried = 0
    for case in all_cases():
        marked = case.attribute()
        cited = [each for each in marked.markers if each.footnote is not None and not each.is_beside]
        if case.beside or not cited or not all(each.claim for each in cited) or strip(marked.clean_text) != marked.clean_text:
            continue
        stated = attribute(
            response=marked.clean_text,
            context=case.context,
            hidden_sections=case.hidden,
            user_text=strip(case.user) if case.user else None,
            answered_on=case.day,
            field_citations=list(map(entry_of, cited)),
        )
        check_that_entries_say_what_markers_do(marked, stated)
        tried += 1
    assert tried > 20


def test_findings_about_the_entries_are_those_about_markers() -> None:
    marked = attribute(response="Your risk [[SF:mood]] is low [[SF:risk_level]].", context=CONTEXT)
    entries = [{"tool": "SF", "field": "mood", "text": "Your risk"}, {"tool": "SF", "field": "risk_level", "text": "Your risk is low"}]
    stated = attribute(response="Your risk is low.", context=CONTEXT, field_citations=entries)

    assert findings(stated) == findings(marked)
    assert {each.code for each in stated.guardrails} == {GuardrailCode.UNKNOWN, GuardrailCode.CONTRADICTED, GuardrailCode.OVER_CITED}


def test_entries_that_cannot_be_read_are_one_finding_that_names_the_first_of_them() -> None:
    wrong = [7, {"tool": "SF"}, {"tool": "SF", "field": "risk_level", "text": "nowhere"}, None, [], "x", {"field": "y"}]
    attribution = attribute(response=f"{ANSWER} [SF:risk_level]", context=CONTEXT, field_citations=wrong)

    (found,) = [each for each in attribution.guardrails if each.code is GuardrailCode.MALFORMED]
    assert found.count == 8
    assert found.message == (
        "states citations beside the text that are not read in full: entry 1 is neither an object nor text; entry 2 names no field; "
        "entry 3 gives words that are not in the answer; entry 4 is neither an object nor text; entry 5 is neither an object nor text; "
        "and 2 more; writes what is almost a marker"
    )
    assert [attribution.clean_text[slice(*span)] for span in found.spans] == ["[SF:risk_level]"]


def test_what_is_behind_the_first_thousand_is_not_read_and_said_to_be_so() -> None:
    attribution = attribute(response=ANSWER, context=CONTEXT, field_citations=["XX:y"] * 1_000 + ["SF:risk_level"])

    assert not any(row.is_cited for row in attribution.fields)
    assert "the last 1 of the citations beside the text were not read" in findings(attribution)


@pytest.mark.parametrize("given_as", ["SF:risk_level", {"field": "risk_level"}, 7, None])
def test_what_is_no_list_is_refused(given_as: Any) -> None:
    with pytest.raises(InputError, match="field_citations: must be a list"):
        attribute(response=ANSWER, context=CONTEXT, field_citations=given_as)


def test_they_are_read_back_as_they_were() -> None:
    entries = [{"tool": "SF", "field": "risk_level", "text": "Your risk is elevated"}, "TF:fit_score", 7]
    attribution = attribute(response=ANSWER, context=CONTEXT, field_citations=entries)
    stored = json.loads(canonical_bytes(encode(attribution)))

    values = {(row.field.section, row.field.path): row.field.value for row in attribution.fields}
    assert decode(stored, values) == attribution
    assert [each.get("beside") for each in stored["markers"]] == [True, True, True]


names = st.sampled_from(["SF", "safety", "risk_level", "safety.risk_level", "SF:risk_level", "[[SF:risk_level]]", "", ":", ".", "\ud800"])
scalars = (
    st.none() | st.booleans() | st.integers(-2, 60) | st.floats() | st.text(max_size=8) | names | st.sampled_from([ANSWER, "elevated"])
)
anything = st.recursive(scalars, lambda each: st.lists(each, max_size=3) | st.dictionaries(names, each, max_size=3), max_leaves=6)
keys = st.sampled_from(["tool", "prefix", "section", "field", "path", "text", "start", "end", "span", "value"])
entries = anything | st.dictionaries(keys, anything, max_size=5)


@given(answers, st.lists(entries, max_size=6))
def test_whatever_is_given_is_read_within_the_answer_and_can_be_stored(response: str, given_as: list[Any]) -> None:
    attribution = attribute(response=response, context=CONTEXT, field_citations=given_as)

    length, plain = len(attribution.clean_text), attribute(response=response, context=CONTEXT)
    beside = [each for each in attribution.markers if each.is_beside]
    assert attribution.clean_text == plain.clean_text
    assert all(0 <= each.raw[0] == each.raw[1] <= len(response) for each in beside)
    assert all(each.claim is None or (0 <= each.claim[0] < each.claim[1] == each.position <= length) for each in beside)
    assert canonical_bytes(encode(attribution))
    footnotes = [each.footnote for each in attribution.markers if each.status is MarkerStatus.RESOLVED]
    assert footnotes == list(range(1, len(footnotes) + 1))


def test_a_field_that_is_cited_beside_the_text_is_cited() -> None:
    attribution = attribute(response=ANSWER, context=CONTEXT, field_citations=["SF:risk_level"])

    assert [(row.field, row.track, row.method) for row in attribution.used] == [
        (Field("safety", "risk_level", "risk_level", attribution.fields[0].field.type, "elevated"), "cited_and_found", "citation"),
        (attribution.fields[1].field, "found_only", "numeric"),
    ]
    assert attribution.source == "mixed"


def test_words_that_nearly_repeat_in_an_answer_are_looked_for_in_time_that_grows_with_both() -> None:
    """Looked for from the end of the answer they took as many steps as both are long, multiplied: 100 of them took six seconds."""

    def cite(size: int) -> None:
        entry = {"tool": "SF", "field": "risk_level", "text": "ab" + "a" * (size // 5), "start": size - 1, "end": size}
        attribute(response="a" * size, context=CONTEXT, field_citations=[entry] * 40)

    assert grows_with(cite, 9_000) < 3
