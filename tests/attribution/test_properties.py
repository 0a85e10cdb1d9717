"""Properties of any answer with any context."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from attribution import Attribution, MarkerStatus, Span, Track, attribute
from tests.attribution.strategies import answers, any_text, contexts, sections, spaced_answers

Context = dict[str, Any]


def all_spans(attribution: Attribution) -> list[Span]:
    found = [span for row in attribution.fields for span in (*row.spans, *row.claims)]
    found += [span for row in attribution.fields if row.contradiction for span in row.contradiction.spans]
    return found + [marker.claim for marker in attribution.markers if marker.claim]


@given(answers | spaced_answers, contexts, st.none() | answers, st.sets(st.sampled_from(("safety", "other"))))
def test_any_answer_and_any_context_are_attributed(response: str, context: Context, user: str | None, hidden: set[str]) -> None:
    attribution = attribute(response=response, context=context, user_text=user, hidden_sections=hidden)
    assert attribution.hidden_sections == tuple(section for section in context if section in hidden)


@given(spaced_answers, contexts)
def test_every_span_lies_in_the_clean_text_and_holds_something(response: str, context: Context) -> None:
    attribution = attribute(response=response, context=context)
    assert all(0 <= start < end <= len(attribution.clean_text) for start, end in all_spans(attribution))


@given(spaced_answers, contexts)
def test_only_the_place_of_a_removed_marker_is_empty(response: str, context: Context) -> None:
    attribution = attribute(response=response, context=context)
    for finding in attribution.guardrails:
        for start, end in finding.spans:
            assert 0 <= start <= end <= len(attribution.clean_text)
            assert start < end or finding.code in set(MarkerStatus) - {MarkerStatus.MALFORMED}


@given(spaced_answers, contexts)
def test_the_spans_of_a_list_stand_in_the_order_of_the_answer(response: str, context: Context) -> None:
    for row in attribute(response=response, context=context).fields:
        if row.evidence and row.evidence.elements_found > 1 and row.evidence.method == "list":
            assert list(row.spans) == sorted(set(row.spans))


@given(spaced_answers, contexts)
def test_a_heuristic_stays_below_one_and_a_citation_is_one(response: str, context: Context) -> None:
    for row in attribute(response=response, context=context).fields:
        assert row.evidence is None or 0 < row.evidence.score < 1
        assert (row.score == 1) is row.is_cited
        assert row.is_used is (row.score > 0)


@given(spaced_answers, contexts)
def test_a_trace_quotes_the_answer_where_it_says(response: str, context: Context) -> None:
    attribution = attribute(response=response, context=context)
    for row in attribution.used:
        if row.evidence and "’ at " in row.trace and row.evidence.method != "list":
            start, end = row.spans[0]
            assert f"‘{attribution.clean_text[start:end]}’ at {start}–{end}" in row.trace


@given(spaced_answers, contexts)
def test_the_same_arguments_give_the_same_result(response: str, context: Context) -> None:
    first, second = (attribute(response=response, context=context) for _ in range(2))
    assert repr(first) == repr(second)


@given(spaced_answers, contexts)
@example("The fee is 10 dollars.", {"plan": {"fee": "$120"}, "offer": {"fee": "$120"}})
def test_the_order_of_sections_changes_the_order_of_rows_only(response: str, context: Context) -> None:
    backwards = dict(reversed(context.items()))
    first, second = attribute(response=response, context=context), attribute(response=response, context=backwards)
    assert sorted(map(repr, first.fields)) == sorted(map(repr, second.fields))
    assert first.markers == second.markers
    assert sorted(map(repr, first.guardrails)) == sorted(map(repr, second.guardrails))
    assert first.source == second.source


@given(spaced_answers, contexts, sections)
def test_a_section_that_the_answer_does_not_name_changes_no_other_row(response: str, context: Context, more: Context) -> None:
    first = attribute(response=response, context=context)
    unrelated = {"unrelated": {f"q{number}": f"xqzv{number} wvkj" for number, _ in enumerate(more)}}
    second = attribute(response=response, context=context | unrelated)
    assert repr(first.fields) == repr(second.fields[: len(first.fields)])
    assert all(row.track is Track.NEITHER for row in second.fields[len(first.fields) :])


@given(answers, any_text)
def test_an_answer_alone_gives_no_rows(response: str, user: str) -> None:
    assert attribute(response=response, context={}, user_text=user).fields == ()
