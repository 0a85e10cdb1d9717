"""The demonstration turns show everything that the review page must be able to show, and the engine agrees that they do."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, cached_property
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from attribution import (
    DEFAULT_PROFILE,
    Attribution,
    CitationPolicy,
    DocumentAttribution,
    FieldAttribution,
    FieldType,
    GuardrailCode,
    MarkerStatus,
    Source,
    Track,
    attribute,
    search_by_words,
)
from reviewers import demonstration
from reviewers.demonstration.generator import generate
from reviewers.snapshots.citations import citations_of
from reviewers.snapshots.ingest.freeze import attached_sources, attribute_citations
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.work_requests import reason_to_skip

FOLDER = Path(demonstration.__file__).parent / "turns"
FILES = sorted(FOLDER.glob("*.json"))
VERDICTS = {"correct", "wrong", "misstated", "cannot_judge"}
REQUIRED = {
    *("id", "conversation_id", "turn_index", "client_reference", "answered_at", "model", "prompt_version", "schema_version"),
    *("user_text", "response", "context"),
}
OPTIONAL = {"provider", "hidden_sections", "completeness", "completeness_threshold", "citation_instruction", "field_citations"}
CITING = {"documents", "tool_calls", "citations", "native", "abstention_reason"}
SECTIONS = {"client_signal", "provider_genome", "patient_context", "safety", "therapeutic_fit"}
MOST_RULES_MISSING = 3
"""How many of the profile's rules may be without an example: a rule is added now and then."""

ALMOST_EMPTY, LONG, CHINESE = "demo-041", "demo-022", "demo-009"


@dataclass(frozen=True)
class Shown:
    """A turn as a file has it, and what the engine says of it."""

    record: dict[str, Any]
    turn: dict[str, Any]
    attribution: Attribution

    @cached_property
    def documents(self) -> DocumentAttribution:
        return attribute_citations(read_record(json.dumps(self.turn).encode()), answered_on=None, policy=CitationPolicy())

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        return self.record.get("labels", {})

    @property
    def rows(self) -> dict[str, FieldAttribution]:
        return {f"{row.field.section}.{row.field.path}": row for row in self.attribution.fields}


def withheld(turn: dict[str, Any]) -> set[str]:
    threshold = turn.get("completeness_threshold", DEFAULT_PROFILE.thresholds.section_completeness)
    incomplete = {section for section, share in turn.get("completeness", {}).items() if share < threshold}
    return incomplete | set(turn.get("hidden_sections", ()))


def attributed(turn: dict[str, Any]) -> Attribution:
    return attribute(
        response=turn["response"],
        context=turn["context"],
        user_text=turn["user_text"],
        hidden_sections=withheld(turn),
        field_citations=turn.get("field_citations", ()),
        answered_on=date.fromisoformat(turn["answered_at"][:10]),
    )


@cache
def shown() -> list[Shown]:
    records = [json.loads(path.read_text(encoding="utf-8")) for path in FILES]
    return [Shown(record, record["turn"], attributed(record["turn"])) for record in records]


def test_turns_are_numbered_like_their_files_and_no_number_is_given_twice():
    numbers = [int(path.name[:2]) for path in FILES]
    assert len(numbers) == len(set(numbers)) >= 75
    assert [each.turn["id"] for each in shown()] == [f"demo-{number:03d}" for number in numbers]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_is_readable_and_has_the_shape_of_a_record(path):
    text = path.read_text(encoding="utf-8")
    record = json.loads(text)
    assert text.startswith('{\n  "about": "')
    assert text.endswith("}\n")
    assert record.keys() <= {"about", "repairs", "turn", "labels", "citation_labels", "claims"}
    turn = record["turn"]
    assert turn.keys() >= REQUIRED
    assert turn.keys() <= REQUIRED | OPTIONAL | CITING
    assert turn["context"].keys() <= SECTIONS
    assert turn.get("completeness", {}).keys() <= SECTIONS


def test_ids_and_places_in_a_conversation_are_unique():
    places = [(each.turn["conversation_id"], each.turn["turn_index"]) for each in shown()]
    assert len(set(places)) == len(places)
    assert len({each.turn["id"] for each in shown()}) == len(shown())


def test_turns_of_a_conversation_follow_each_other():
    by_conversation: dict[str, list[tuple[int, datetime]]] = {}
    for each in shown():
        when = datetime.fromisoformat(each.turn["answered_at"])
        by_conversation.setdefault(each.turn["conversation_id"], []).append((each.turn["turn_index"], when))
    for turns in by_conversation.values():
        assert all(earlier[0] < later[0] and earlier[1] < later[1] for earlier, later in pairwise(turns))


def test_people_models_prompts_and_days_vary():
    turns = [each.turn for each in shown()]
    days = [datetime.fromisoformat(turn["answered_at"]) for turn in turns]
    assert len({turn["client_reference"] for turn in turns}) >= 25
    assert len({turn["provider"] for turn in turns if "provider" in turn}) >= 20
    assert {turn["model"] for turn in turns} == {"caremate-3", "caremate-4"}
    assert {turn["prompt_version"] for turn in turns} == {"match v17", "match v18", "crisis v3"}
    assert min(days).date() == date(2026, 2, 2)
    assert max(days).date() == date(2026, 3, 20)
    assert len({day.utcoffset() for day in days}) >= 6


def test_two_conversations_suggest_one_provider_after_another():
    suggested: dict[str, set[str]] = {}
    for each in shown():
        suggested.setdefault(each.turn["conversation_id"], set()).add(each.turn.get("provider", ""))
    assert sum(len(providers - {""}) == 2 for providers in suggested.values()) == 2


def test_contexts_and_answers_have_the_usual_size():
    for each in shown():
        if not CITING.isdisjoint(each.turn):
            continue
        words = len(each.attribution.clean_text.split())
        if each.turn["id"] != ALMOST_EMPTY:
            assert 25 <= len(each.attribution.fields) <= 60, each.turn["id"]
        if each.turn["id"] not in (LONG, CHINESE):
            assert 60 <= words <= 250, each.turn["id"]


def test_the_long_answer_is_long():
    long = next(each for each in shown() if each.turn["id"] == LONG)
    assert len(long.attribution.clean_text.split()) >= 1_200
    assert max(marker.footnote or 0 for marker in long.attribution.markers) >= 20


def test_telephone_numbers_are_invented():
    written = re.compile(r"(?<!\d)\+?1?[ .-]?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}(?!\d)")
    for path in FILES:
        for number in written.findall(path.read_text(encoding="utf-8")):
            assert re.search(r"555[ .-]?01\d\d$", number), (path.name, number)


def test_a_weekday_beside_a_date_is_that_day():
    named = re.compile(r"(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (January|February|March|April) (\d{1,2})")
    months = ("January", "February", "March", "April")
    days = ("Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")
    found = [match for each in shown() for match in named.findall(each.turn["response"])]
    assert len(found) >= 10
    for weekday, month, day in found:
        assert days[date(2026, months.index(month) + 1, int(day)).weekday()] == weekday, (weekday, month, day)


def test_every_guardrail_is_raised():
    codes = {finding.code for each in shown() for finding in each.attribution.guardrails}
    assert codes == set(GuardrailCode) - {GuardrailCode.READ_IN_PART}, "nothing in the demonstration is that large"


def test_every_marker_status_occurs():
    assert {marker.status for each in shown() for marker in each.attribution.markers} == set(MarkerStatus)


def test_every_track_and_source_occurs():
    assert {row.track for each in shown() for row in each.attribution.fields} == set(Track)
    assert {each.attribution.source for each in shown()} == set(Source)


def test_every_method_occurs():
    methods = {row.method for each in shown() for row in each.attribution.used}
    assert methods == {"citation"} | set(FieldType) - {FieldType.EMPTY}


def test_nearly_every_rule_occurs():
    evidence = [row.evidence for each in shown() for row in each.attribution.fields if row.evidence]
    missing = DEFAULT_PROFILE.scores.keys() - {(each.method, each.rule) for each in evidence}
    assert len(missing) <= MOST_RULES_MISSING, missing


def test_contradictions_are_of_different_kinds():
    kinds = Counter(row.field.type for each in shown() for row in each.attribution.fields if row.contradiction)
    assert kinds.total() >= 5
    assert kinds.keys() >= {FieldType.ENUM, FieldType.NUMERIC, FieldType.BOOLEAN, FieldType.MONEY}
    assert kinds.keys() & {FieldType.DATE, FieldType.TIME}
    percentages = [row for each in shown() for row in each.attribution.fields if row.contradiction and row.field.path.endswith("fit_score")]
    assert percentages


def test_sections_are_withheld_by_name_and_for_being_incomplete():
    turns = [each.turn for each in shown()]
    assert any(turn.get("hidden_sections") for turn in turns)
    assert any(withheld(turn) - set(turn.get("hidden_sections", ())) for turn in turns)


def test_common_words_are_capped_and_counted_in_full():
    evidence = [row.evidence for each in shown() for row in each.attribution.fields if row.evidence and not row.is_cited]
    assert any(each.is_ambiguous for each in evidence)
    assert any("label" in each.trace for each in evidence if each.method is FieldType.ENUM)
    assert any("under a heading" in each.trace for each in evidence)


@pytest.mark.parametrize(
    "sign",
    [
        *(
            "<script>",
            "&lt;b&gt;",
            "](https://",
            "[[CS:gad7_score]]",
            "\0",
            "\u202e",
            "\u200b",
            "\u0301",
            "👩🏽",
            "a" * 30 + "h" * 90,
        ),
        *("هل", "您", "¿", "السلام"),
    ],
    ids=ascii,
)
def test_hostile_and_foreign_text_occurs(sign):
    assert any(sign in each.turn["user_text"] or sign in each.turn["response"] for each in shown())


@pytest.mark.parametrize("pattern", [r"^## ", r"^[-*] ", r"^1\. ", r"^```$", r"^> "])
def test_markdown_occurs(pattern):
    assert any(re.search(pattern, each.turn["response"], re.MULTILINE) for each in shown())


def test_labels_use_the_four_verdicts_and_name_real_rows():
    for each in shown():
        for key, label in each.labels.items():
            assert label.keys() <= {"verdict", "note"}
            assert label["verdict"] in VERDICTS
            assert key == "*" or key in each.rows, (each.turn["id"], key)
    assert {label["verdict"] for each in shown() for label in each.labels.values()} == VERDICTS


def test_a_reviewer_says_of_words_that_they_are_not_in_the_record():
    claimed = [(each, claim) for each in shown() for claim in each.record.get("claims", ())]
    assert claimed
    for each, claim in claimed:
        assert each.turn["response"].count(claim["words"]) == 1
        assert claim["note"]
        assert "*" in each.labels


def test_wrong_and_misstated_labels_say_why():
    for each in shown():
        assert all(label.get("note") for label in each.labels.values() if label["verdict"] in ("wrong", "misstated"))


def test_labels_of_citations_are_one_for_each_in_order_and_say_why_a_source_does_not_support():
    labelled = [each for each in shown() if "citation_labels" in each.record]
    assert [each.turn["id"] for each in labelled] == ["demo-052"]
    for each in labelled:
        labels = each.record["citation_labels"]
        citations = citations_of(each.documents)
        assert [label["verdict"] == "supports" for label in labels] == [citation.is_sound for citation in citations]
        assert all(label.get("note") for label in labels if label["verdict"] in ("does_not_say", "contradicts"))


def test_fifteen_reviews_are_complete_and_three_in_progress():
    labelled = [each for each in shown() if each.labels]
    assert sum("*" in each.labels for each in labelled) == 15
    assert sum("*" not in each.labels for each in labelled) == 3


def test_reviewers_report_misses():
    missed = [
        (each.turn["id"], key)
        for each in shown()
        for key, label in each.labels.items()
        if "*" in each.labels and label["verdict"] == "wrong" and not each.rows[key].is_used
    ]
    assert missed


def test_labels_fit_what_the_reviewer_was_shown():
    """Of a found row "wrong" is a false match, of an unfound row a miss: when the engine changes, a label may turn around."""
    for each in shown():
        for key, label in each.labels.items():
            if key != "*" and label["verdict"] == "wrong":
                is_miss = label["note"].startswith("Missed")
                assert is_miss is not each.rows[key].is_used, (each.turn["id"], key, label["note"])


def test_contradicted_rows_of_a_complete_review_are_misstated():
    for each in shown():
        if "*" in each.labels:
            for key, row in each.rows.items():
                assert not row.contradiction or each.labels[key]["verdict"] == "misstated", (each.turn["id"], key)


def citing(number: int) -> DocumentAttribution:
    return next(each for each in shown() if each.turn["id"] == f"demo-{number:03d}").documents


def codes_of(attribution: DocumentAttribution) -> list[str]:
    return [issue.code.value for issue in attribution.issues]


def test_a_numbered_answer_has_a_figure_that_its_source_has_not():
    found = citing(51)
    assert [(each.text, each.sources) for each in found.references] == [("[1]", ("doc-1",)), ("[1]", ("doc-1",)), ("[2]", ("doc-2",))]
    assert [[each.text for each in reference.check.missing] for reference in found.references] == [[], ["8"], []]
    assert codes_of(found) == ["figure_not_found", "opposite"]


def test_quotes_are_altered_exact_and_made_up():
    found = citing(52)
    assert [each.check.quote.rule.value for each in found.references] == ["altered_negation", "exact", "absent"]
    assert codes_of(found) == ["quote_not_found"] * 2


def test_an_answer_object_has_claims_and_unanswered_aspects():
    found = citing(53)
    assert [claim.confidence for claim in found.claims] == ["high", "medium", "low"]
    supported = [found.references[claim.references[0]].check.support.is_supported for claim in found.claims]
    assert supported == [True, True, False]
    assert found.unanswered_aspects == ("whether CBD gummies can be taken with sertraline",)


def test_a_provider_s_own_citations_stand_where_it_says():
    found = citing(54)
    assert [(each.grammar.value, each.check.quote_span.is_verified) for each in found.references] == [("native", True)] * 2
    assert found.clean_text[slice(*found.references[0].span)] == "it is worst after about ten minutes and over within half an hour."


def test_a_withheld_answer_says_why_and_cites_nothing():
    found = citing(55)
    assert (found.references, found.validity.colour.value, found.answer_trust.score) == ((), "red", None)
    assert found.abstention_reason


def test_addresses_that_nobody_knows_have_a_trust_of_a_half():
    found = citing(56)
    assert (found.answer_trust.score, found.answer_trust.is_all_unknown) == (0.5, True)
    assert "fda.gov.example.com" in {each.host for each in found.trust.values()}
    assert codes_of(found) == ["out_of_range", "name_not_found"]


def found_in(number: int) -> list[tuple[str, str]]:
    """Return the results of the search by words: each sentence with the id of its document."""
    attribution = citing(number)
    turn = next(each.turn for each in shown() if each.turn["id"] == f"demo-{number:03d}")
    found = search_by_words(attribution.clean_text, attribution.sources, turn["user_text"]).found
    return [(attribution.clean_text[slice(*each.span)], attribution.sources[each.passage].source_id) for each in found]


def test_evidence_is_attached_to_one_that_cites_nothing_and_says_that_it_is_to_be():
    (repaired,) = [each for each in shown() if each.record.get("repairs")]
    record = read_record(json.dumps(repaired.turn).encode())
    found = attribute_citations(record, answered_on=None, policy=CitationPolicy(repairs=True))
    assert (repaired.turn["id"], attached_sources(found), repaired.documents.references) == ("demo-058", ["doc-1", "doc-2", "doc-3"], ())


def test_of_those_that_cite_nothing_some_are_found_afterwards_in_whole_in_part_and_not_at_all():
    assert not any(citing(number).cited for number in range(58, 65))
    assert [name for _, name in found_in(59)] == ["fda-antihistamines", "leaflet-spray"]
    assert [sentence for sentence, _ in found_in(60)] == ["Iron is taken up best on an empty stomach, an hour before a meal."]
    assert found_in(61) == []
    assert [name for _, name in found_in(64)] == ["leaflet-prazosin"]
    assert codes_of(citing(64)) == ["out_of_range"]


def test_in_some_there_is_nothing_to_look_for():
    assert [reason_to_skip(citing(number)) for number in (59, 62, 63)] == [None, "no_answer", "code_only"]
    assert citing(62).abstention_reason


def test_generator_repeats_itself():
    assert list(generate(50)) == list(generate(50))
    assert list(generate(50)) != list(generate(50, seed=8))


@pytest.mark.parametrize("first", [1, 2, 19, 100_001])
def test_generated_record_depends_on_its_number_alone(first):
    many = list(generate(30, first=first))
    assert list(generate(10, first=first + 20)) == many[20:]
    assert next(generate(1, first=first + 7)) == many[7]


def test_generated_records_are_numbered_and_later_ones_are_later():
    records = list(generate(200, first=5))
    assert [record["id"] for record in records] == [f"generated-{number:06d}" for number in range(5, 205)]
    days = [datetime.fromisoformat(record["answered_at"]) for record in records]
    assert len({later - earlier for earlier, later in pairwise(days)}) == 1
    assert days[0] < days[-1]


def test_generated_records_have_the_shape_and_size_of_real_ones():
    records = list(generate(400))
    assert all(record.keys() >= REQUIRED and record.keys() <= REQUIRED | OPTIONAL for record in records)
    sizes = [len(json.dumps(record, ensure_ascii=False).encode()) for record in records]
    answers = [len(record["response"].encode()) for record in records]
    assert 5_000 < sum(sizes) / len(sizes) < 6_200
    assert 1_000 < sum(answers) / len(answers) < 1_400
    assert all(len(attributed(record).fields) == 60 for record in islice(records, 40))


def test_generated_records_vary_and_have_a_few_faults():
    records = list(generate(600))
    attributions = [attributed(record) for record in records]
    share = dict.fromkeys(GuardrailCode, 0.0)
    for each in attributions:
        for code in {finding.code for finding in each.guardrails}:
            share[code] += 1 / len(records)
    assert 0.01 < share[GuardrailCode.CONTRADICTED] < 0.08
    assert 0.005 < share[GuardrailCode.UNKNOWN] < 0.05
    unseen = {GuardrailCode.AMBIGUOUS, GuardrailCode.READ_IN_PART, GuardrailCode.LANGUAGE_NOT_READ}
    assert all(share[code] > 0 for code in GuardrailCode if code not in unseen)
    assert len({record["model"] for record in records}) >= 3
    assert len({record["prompt_version"] for record in records}) >= 4
    assert {each.source for each in attributions} >= {Source.MIXED, Source.HEURISTIC, Source.NONE}


def test_about_half_of_the_generated_sentences_are_cited_and_all_draw_on_the_context():
    records = list(generate(300))
    sentences = [len(re.findall(r"[.?] |[.?]$", record["response"])) for record in records]
    markers = sum(record["response"].count("[[") for record in records)
    assert 0.3 < markers / sum(sentences) < 0.6
    assert sum(len(attributed(record).used) for record in records) / len(records) > 10
