"""Citations of fields beside the text, from a record to its page: the same as markers, and never a reason to lose an answer."""

from __future__ import annotations

import json
import zlib

import pytest
from django.utils import timezone

from reviewers.ledger.verification.organisation import verify
from reviewers.snapshots.ingest.freeze import freeze, parts_of
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.snapshots.redactable_parts import BARS
from tests.api.sending import post, problem_of, program_of
from tests.factories import ANSWER, CITED, NOW, USUAL_TERMS, make_item, make_record
from tests.reports.exporting.made import of_item, report_of
from tests.review.desk import open_page
from tests.review.plans.planning import run_blind
from tests.review.plans.test_blind_citations import shown
from tests.review.redacting.redactable import lead_and_administrator, redact
from tests.snapshots.otlp.tracing import accepted, age, records, send, span
from tests.snapshots.otlp.tracing import freeze as freeze_traces

PLAIN = ANSWER.replace(" [[SF:risk_level]]", "").replace(" [[TF:fit_score]]", "")
STATED = [
    {"tool": "SF", "field": "risk_level", "text": "Your risk is elevated at the moment"},
    {"path": "therapeutic_fit.fit_score", "start": PLAIN.index("and the fit"), "end": PLAIN.index("85%") + 3},
]
BESIDE = {"response": PLAIN, "field_citations": STATED}
MARKED = {"response": ANSWER.replace(" [[SF:risk_level]] at the moment", " at the moment [[SF:risk_level]]")}
WRONG = [7, None, {"text": "Your risk"}, {"tool": "SF", "field": "risk_level", "text": "nothing of it"}]


def document() -> dict:
    return json.loads(zlib.decompress(bytes(SnapshotAttribution.objects.latest("attributed_at", "id").document)))


def frozen(**changes):
    return freeze(read_record(json.dumps(make_record(**changes)).encode()), NOW, USUAL_TERMS)


def test_an_answer_that_cites_beside_its_text_has_the_rows_of_one_with_markers():
    beside, marked = frozen(**BESIDE), frozen(**MARKED)

    assert beside.attribution.fields == marked.attribution.fields
    assert beside.attribution.clean_text == marked.attribution.clean_text == PLAIN
    for name in ("source", "guardrails", "sections", "field_count", "found_count", "cited_count"):
        assert getattr(beside.attribution_row, name) == getattr(marked.attribution_row, name)
    assert beside.attribution_row.cited_count == 2
    assert beside.snapshot.excerpt == marked.snapshot.excerpt


def test_the_api_takes_them_and_gives_them_back(organisation):
    program = program_of(organisation)
    answer = post(program, make_record(**BESIDE)).json()

    assert (answer["attribution"]["cited"], answer["attribution"]["source"]) == (2, "mixed")
    told = program.get(f"/api/v1/snapshots/{answer['id']}").json()
    assert told["record"]["field_citations"] == STATED
    assert [(each["text"], each["beside"]) for each in told["attribution"]["markers"]] == [("SF:risk_level", True), ("TF:fit_score", True)]


def test_entries_that_cannot_be_read_are_a_finding_and_lose_no_answer(organisation):
    program = program_of(organisation)
    response = post(program, make_record(response=PLAIN, field_citations=WRONG))

    assert response.status_code == 201
    assert response.json()["attribution"]["guardrails"]["malformed"] == 4
    (finding,) = [each for each in document()["guardrails"] if each["code"] == "malformed"]
    assert "entry 3 names no field; entry 4 gives words that are not in the answer" in finding["message"]


@pytest.mark.parametrize(("value", "kind"), [({"tool": "SF"}, "an object"), ("SF:risk_level", "text"), (7, "a number")])
def test_what_is_no_list_is_refused_with_its_place(organisation, value, kind):
    response = post(program_of(organisation), make_record(field_citations=value))

    assert problem_of(response) == (422, "field_citations", f"must be a list, not {kind}")


def test_a_trace_brings_them_as_an_attribute_of_ours(organisation):
    own = {"footnote.response": PLAIN, "footnote.field_citations": json.dumps(STATED)}
    sent = send(program_of(organisation), span(own | {"footnote.context": json.dumps(make_record()["context"])}))
    assert accepted(sent) == (0, "")
    age()
    freeze_traces(organisation.pk, timezone.now())

    (record,) = records()
    assert record["field_citations"] == STATED
    assert SnapshotAttribution.objects.get().cited_count == 2


def test_the_page_says_that_a_field_is_cited_beside_the_text(alice, organisation):
    item = make_item(organisation, response=PLAIN, field_citations=[STATED[0], "PG:fee_range", *WRONG])
    page = open_page(alice, item)

    assert "SF:risk_level, beside the text, for ‘Your risk is elevated at the moment’" in page.text
    assert "PG:fee_range, beside the text, for no words of it" in page.text
    assert [each.text for each in page.one("div", class_="answer").find("sup")] == ["1"]
    assert page.find("a", href="#fn-1")
    assert not page.find("a", href="#fn-2")
    assert "entry 5 names no field" in page.text


def test_footnotes_of_fields_and_sources_are_numbered_together(organisation, lead):
    response = CITED["response"].replace(" [[SF:risk_level]]", "")
    stated = [{"tool": "SF", "field": "risk_level", "text": "Your risk is elevated"}, "PG:fee_range"]
    items = [make_item(organisation, **CITED), make_item(organisation, **CITED | {"response": response, "field_citations": stated})]

    marked, beside = [report_of(lead, of_item(item.pk)).answers[0] for item in items]
    assert beside.text == marked.text
    assert [(each.footnote, each.position) for each in beside.notes] == [(each.footnote, each.position) for each in marked.notes]
    assert [(each.path, each.footnote) for each in beside.rows if each.footnote] == [("risk_level", 2), ("fee_range", 4)]


def test_a_blind_review_tells_nothing_of_them(organisation, lead, bob):
    changes = ({}, {"field_citations": STATED}, {"field_citations": WRONG})
    items = [make_item(organisation, **MARKED)] + [make_item(organisation, response=PLAIN, **more) for more in changes]
    run_blind(lead)

    answers = {shown(bob, item).partition('<div class="answer"')[2].partition("</div>")[0] for item in items}
    assert len(answers) == 1
    assert len({report_of(lead, of_item(item.pk)).answers[0].text for item in items}) == 1
    assert not any("beside the text" in shown(bob, item) for item in items)


def test_the_number_of_parts_does_not_tell_of_them():
    """Whoever reviews the answer blind reads it in the receipt of the freezing."""
    assert len(parts_of(frozen(**BESIDE))) == len(parts_of(frozen(**MARKED)))


def test_they_go_with_the_answer_and_lose_what_the_answer_does_not_have_with_anything_else(organisation, alice):
    said = [*STATED, {"tool": "SF", "field": "risk_level", "text": "a remark", "value": "elevated", "span": [0, 9]}, "nothing of it", 7]
    item = make_item(organisation, response=PLAIN, field_citations=said)
    before = document()
    lead, administrator = lead_and_administrator(alice)

    redact(item, ["user_text"], lead, administrator)
    left = json.loads(bytes(Snapshot.objects.get(pk=item.pk).record))["field_citations"]
    assert left == [*STATED, {"tool": "SF", "field": "risk_level", "text": BARS, "value": BARS, "span": [0, 9]}, BARS, BARS]
    assert document()["fields"] == before["fields"]

    redact(item, ["response"], lead, administrator)
    assert "field_citations" not in json.loads(bytes(Snapshot.objects.get(pk=item.pk).record))
    assert verify(organisation_id=organisation.pk).redacted
