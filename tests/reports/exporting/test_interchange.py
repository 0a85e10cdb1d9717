"""Formats of others: each is read by its own library or held against its schema, and says what the report says."""

from __future__ import annotations

import io
import json
import warnings

import jsonschema
import prov.model
import pytest
from fhir.resources.R4B.bundle import Bundle

from reviewers.reports.exports.report import Report
from reviewers.review.models import Verdict
from tests.factories import CITED, make_item
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import lines, report_of, written
from tests.reports.exporting.schemas import COLLECTION, LABEL_STUDIO, OPENINFERENCE
from tests.review.plans.planning import review
from tests.review.signed import make_signed


@pytest.fixture
def report(organisation, alice, bob, auditor) -> Report:
    """A signed review of fields and citations, and one that takes issue."""
    make_signed(alice)
    review(make_item(organisation, **CITED, user_text="\U0001f600 \u4f60\u597d"), bob, verdict=Verdict.WRONG, note="it says 2 mg")
    make_item(organisation)
    seal_now(organisation.pk)
    return report_of(auditor)


def labels_of(report: Report) -> set[str]:
    rows = [said.label for answer in report.answers for row in answer.rows for said in row.said]
    cited = [said.label for answer in report.answers for each in answer.documents for one in each.citations for said in one.said]
    return {*rows, *cited}


def test_web_annotations_keep_to_the_standard_and_quote_what_stands_there(report, auditor):
    collection = json.loads(written(auditor, "annotations"))

    jsonschema.validate(collection, COLLECTION)
    texts = {f"urn:uuid:{answer.id}": answer.text for answer in report.answers}
    items = collection["first"]["items"]
    assert len(items) == collection["total"] == len({item["id"] for item in items})
    places = 0
    for item in items:
        text = texts[item["target"]["source"]]
        for position, quote in [item["target"]["selector"]] if "selector" in item["target"] else []:
            start, end = position["start"], position["end"]
            assert text[start:end] == quote["exact"]
            assert text[:start].endswith(quote["prefix"])
            assert text[end:].startswith(quote["suffix"])
            places += 1
    assert places > 10
    assessed = {item["id"].removeprefix("urn:uuid:") for item in items if item["motivation"] == "assessing"}
    assert assessed == {said.label for answer in report.answers for row in answer.rows for said in row.said}


def test_positions_are_code_points_whatever_stands_before_them(organisation, auditor):
    make_item(organisation, response="\U0001f600\r\ne\u0301 Your risk is elevated [[SF:risk_level]].")

    items = json.loads(written(auditor, "annotations"))["first"]["items"]

    quotes = {item["target"]["selector"][1]["exact"]: item["target"]["selector"][0]["start"] for item in items}
    assert quotes["elevated"] == len("\U0001f600\r\ne\u0301 Your risk is ")


def test_prov_is_read_by_its_library_and_leads_from_signatures_to_records(report, auditor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = prov.model.ProvDocument.deserialize(io.StringIO(written(auditor, "prov").decode()), format="json")

    names = {str(each.identifier) for each in document.get_records(prov.model.ProvEntity)}
    assert {f"fn:{answer.id}" for answer in report.answers} <= names
    assert {f"fn:{each.id}" for answer in report.answers for each in answer.signatures} <= names
    assert {f"fn:{label}" for label in labels_of(report)} <= names
    derived = {tuple(str(value) for _, value in each.formal_attributes[:2]) for each in document.get_records(prov.model.ProvDerivation)}
    signature = report.answers[0].signatures[0]
    assert (f"fn:{signature.id}", f"fn:{signature.review}") in derived
    assert json.loads(document.serialize(format="json"))["entity"].keys() == {*names}


def test_fhir_is_read_by_its_library(report, auditor):
    bundle = Bundle.model_validate_json(written(auditor, "fhir"))

    resources = [entry.resource for entry in bundle.entry]
    kinds = [type(each).__name__ for each in resources]
    assert kinds.count("Provenance") == len(report.answers)
    assert kinds.count("AuditEvent") == sum(len(answer.events) for answer in report.answers)
    signed = next(each for each in resources if type(each).__name__ == "Provenance" and each.signature)
    assert signed.signature[0].who.display == "Alice Aldous, reviewed"


def test_openinference_annotations_have_each_label_once(report, auditor):
    annotations = lines(written(auditor, "openinference"))

    for each in annotations:
        jsonschema.validate(each, OPENINFERENCE)
    assert {each["identifier"] for each in annotations} == labels_of(report)
    assert len(annotations) == len(labels_of(report))
    assert {each["result"]["score"] for each in annotations if each["result"]["label"] == "wrong"} == {0}


def test_a_label_studio_set_has_each_place_with_its_words(report, auditor):
    tasks = json.loads(written(auditor, "label_studio"))

    jsonschema.validate(tasks, LABEL_STUDIO)
    assert len(tasks) == 2
    regions = [(task["data"]["text"], each) for task in tasks for one in task["annotations"] for each in one["result"]]
    for text, each in regions:
        if each["type"] == "labels":
            assert text[each["value"]["start"] : each["value"]["end"]] == each["value"]["text"]
    assert {each["value"]["labels"][0] for _, each in regions if each["type"] == "labels"} == {"correct", "wrong", "supports"}


def test_plain_lines_of_labels_say_what_was_labelled(report, auditor):
    labels = lines(written(auditor, "labels"))

    assert {each["id"] for each in labels} == labels_of(report)
    risk = next(each for each in labels if each["name"] == "safety.risk_level" and each["verdict"] == "correct")
    assert (risk["value"], risk["footnote"], risk["reviewer"]) == ("elevated", 1, "Alice Aldous")
