"""Reports are read in bulk, and quickly: what they say is what the review page reads one answer at a time."""

from __future__ import annotations

import csv
import io
import json
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewers.accounts.audit import SYSTEM
from reviewers.demonstration.generator import generate
from reviewers.reports.exports.formats.csv import COLUMNS, write_csv, write_lines
from reviewers.reports.exports.formats.json_documents import line_of as line_of_json
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.formats.wording import cell
from reviewers.reports.exports.report import write_json
from reviewers.review.queries import load_item
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from tests.factories import BOTH, CITED, NOW, UNCITED, make_item, make_member, make_record
from tests.reports.exporting.made import of_item, report_of, written
from tests.review.signed import submit
from tests.statements import statements_of

few = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
plain = st.none() | st.booleans() | st.integers() | st.floats(0, 1) | st.text()


def fill(organisation, turns):
    ingest(records=[read_record(json.dumps(turn).encode()) for turn in turns], organisation=organisation, by=SYSTEM, at=NOW)


def as_on_the_page(item):
    text = item.shown.attribution.clean_text

    def places(spans):
        return [(*span, text[slice(*span)]) for span in spans]

    for row in item.shown.attribution.fields:
        if row.is_used or row.contradiction:
            against = row.contradiction
            estimate = (row.estimate.low, row.estimate.high) if row.estimate else (None, None)
            yield (
                (row.footnote, row.field.section, row.field.path, row.field.value, row.field.type.value, row.track.value),
                (row.method, row.rule, row.score, row.confidence, row.trace, estimate),
                (places(row.evidence.spans) if row.evidence else [], places(row.claims)),
                (against.recorded, against.stated, against.trace, places(against.spans)) if against else None,
            )


def as_in_the_report(answer):
    def places(excerpts):
        return [(each.start, each.end, each.text) for each in excerpts]

    for row in answer.rows:
        against = row.contradiction
        yield (
            (row.footnote, row.section, row.path, row.value, row.type, row.track),
            (row.method, row.rule, row.score, row.confidence, row.trace, (row.low, row.high)),
            (places(row.spans), places(row.claims)),
            (against.recorded, against.stated, against.trace, places(against.spans)) if against else None,
        )


def test_each_row_is_told_as_the_page_has_it(organisation, auditor):
    wrong = {"response": "Your risk is low [[SF:risk_level]], and the fee is $300 a session."}
    others = [make_record(**each) for each in (CITED, BOTH, UNCITED, wrong)]
    fill(organisation, [*generate(60), *others])

    answers = report_of(auditor).answers

    assert len(answers) == 64
    for answer in answers:
        item = load_item(auditor, UUID(answer.id))
        assert list(as_in_the_report(answer)) == list(as_on_the_page(item))
        assert answer.left_out == len(item.attribution.fields) - len(answer.rows)
        assert answer.text == item.shown.attribution.clean_text
    assert any(row.contradiction for answer in answers for row in answer.rows)


def test_a_report_asks_the_database_as_often_for_many_answers_as_for_one(organisation, auditor):
    submit(make_item(organisation, **BOTH), make_member(organisation))
    one = len(statements_of(lambda: report_of(auditor)))
    for reviewer in ("Ada Abbot", "Bea Bold"):
        submit(make_item(organisation, **BOTH), make_member(organisation, name=reviewer))
    fill(organisation, generate(20))

    assert len(statements_of(lambda: report_of(auditor))) == one


@few
@given(st.lists(st.text(), min_size=len(COLUMNS), max_size=len(COLUMNS)))
def test_any_cells_of_a_table_are_read_back(texts):
    (read,) = csv.reader(io.StringIO(write_lines([texts]).decode(), newline=""))
    assert read == [cell(text) for text in texts]


@few
@given(st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_values_come_back_as_they_were_written(value):
    assert json.loads(write_json(value)) == value


def test_half_of_a_surrogate_pair_is_written_as_its_escape():
    assert write_json({"a": "x\ud800", "b": ("é", 1.5)}) == '{"a":"x\\ud800","b":["é",1.5]}'.encode()


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_an_answer_with_half_of_a_surrogate_pair_stops_no_format(organisation, alice, auditor, form):
    document = {"id": "d\udc00", "title": "t\udc00", "text": "Your risk is elevated."}
    context = {"safety": {"risk_level": "elevated"}, "a\ud800": {"b": "elevated \ud800"}}
    submit(
        make_item(organisation, response="Your risk is elevated \ud83d [[SF:risk_level]].", context=context, documents=[document]), alice
    )

    assert written(auditor, form)


def test_an_answer_with_half_of_a_surrogate_pair_is_told_with_all_its_rows(organisation, auditor):
    context = {"safety": {"risk_level": "elevated"}, "a\ud800": {"b": "c"}}
    item = make_item(organisation, response="Your risk is elevated \ud83d [[SF:risk_level]].", context=context)

    (answer,) = report_of(auditor, of_item(item.pk, all_fields=True)).answers

    found = load_item(auditor, item.pk)
    (used,) = as_on_the_page(found)
    assert next(as_in_the_report(answer)) == used
    assert answer.notes
    assert len(answer.rows) == len(found.attribution.fields) == 2
    assert b"".join(write_csv([answer]))
    assert b"\\ud83d" in line_of_json(answer)
