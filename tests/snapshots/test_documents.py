"""A record with documents: what it may hold, what is kept of it, what is committed to, and that it is read back as it was."""

from __future__ import annotations

import hashlib
import json
import zlib

import pytest

from attribution import attribute_documents, canonical_bytes, encode_documents
from reviewers.ledger.commitments import commit
from reviewers.ledger.models import EventSecret
from reviewers.snapshots.ingest.freeze import freeze, parts_of, thaw_documents, thaw_grounds
from reviewers.snapshots.ingest.records import MOST_DOCUMENTS, read_record
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from tests.api.sending import post, problem_of, program_of
from tests.events import events
from tests.factories import ANSWER, CITED, NOW, USUAL_TERMS, make_item, make_record

ANSWER_OBJECT = {
    "answer": "Adults start with 2 mg. Nobody knows about children.",
    "claims": [{"text": "Adults start with 2 mg.", "citations": ["c1"], "confidence": "high"}],
    "citations": [{"id": "c1", "source": "sleep-7", "relevant_quote": "Adults start with 2 mg"}],
    "unanswered_aspects": ["whether children may take it"],
}
BESIDE_THE_TEXT = {
    "structured citations": {"response": "Start low.", "citations": [{"sourceId": "sleep-7", "quote": "Adults start with 2 mg"}]},
    "an answer object": {"response": json.dumps(ANSWER_OBJECT)},
    "an answer object beside the text": {"response": ANSWER_OBJECT["answer"], "citations": ANSWER_OBJECT},
    "a provider's response": {
        "response": "",
        "native": {
            "role": "assistant",
            "content": [
                {
                    "type": "text",
                    "text": "Adults start with 2 mg.",
                    "citations": [
                        {
                            "type": "char_location",
                            "cited_text": "Adults start with 2 mg",
                            "document_index": 0,
                            "document_title": "Melatonin for adults",
                            "start_char_index": 29,
                            "end_char_index": 51,
                        }
                    ],
                }
            ],
        },
    },
    "what a tool returned": {
        "response": "Ask first [1].",
        "documents": [],
        "tool_calls": [
            {
                "id": "call-1",
                "name": "web_search",
                "parameters": {"query": "sleep"},
                "output": {"results": [{"title": "Asking", "link": "https://notes.example.org/ask", "snippet": "Ask first."}]},
            }
        ],
    },
    "an answer that was withheld": {"response": "", "abstention_reason": "no source of a known tier"},
}


@pytest.fixture
def program(organisation):
    return program_of(organisation)


def frozen(**changes):
    return freeze(read_record(json.dumps(make_record(**CITED | changes)).encode()), NOW, USUAL_TERMS)


def test_a_record_with_documents_is_answered_with_what_was_found_of_its_citations(program):
    answer = post(program, make_record(**CITED)).json()

    kept = SnapshotDocuments.objects.get()
    assert answer["documents"] == {
        "sources": 3,
        "cited": 2,
        "issues": {"figure_not_found": 1, "opposite": 1},
        "validity": "yellow",
        "trust": kept.trust,
        "digest": f"sha256:{bytes(kept.digest).hex()}",
    }


def test_the_result_is_kept_as_canonical_json_with_its_digest_beside_the_other_one(organisation):
    make_item(organisation, **CITED)

    kept = SnapshotDocuments.objects.get()
    document = zlib.decompress(bytes(kept.document))
    assert kept.attribution == SnapshotAttribution.objects.get()
    assert kept.organisation == organisation
    assert document == canonical_bytes(json.loads(document))
    assert bytes(kept.digest) == hashlib.sha256(document).digest()


def test_it_is_what_the_engine_says(program):
    record = make_record(**CITED)
    answer = post(program, record).json()

    found = program.get(f"/api/v1/snapshots/{answer['id']}").json()

    expected = attribute_documents(
        response=record["response"], documents=record["documents"], question=record["user_text"], answered_on=NOW.date().replace(day=3)
    )
    told = found["documents"].pop("digest")
    assert found["documents"] == json.loads(canonical_bytes(encode_documents(expected)))
    assert told == answer["documents"]["digest"]


def test_a_record_without_documents_has_none(program):
    answer = post(program, make_record()).json()

    assert answer["documents"] is None
    assert program.get(f"/api/v1/snapshots/{answer['id']}").json()["documents"] is None
    assert not SnapshotDocuments.objects.exists()


def test_what_a_record_of_fields_is_committed_to_has_not_changed():
    names = [name for name, _ in parts_of(freeze(read_record(json.dumps(make_record()).encode()), NOW, USUAL_TERMS))]

    assert names[:4] == ["record.sha256", "attribution.sha256", "user_text", "response"]
    assert all(name.startswith("context.") for name in names[4:])


@pytest.mark.parametrize("name", BESIDE_THE_TEXT)
def test_each_way_to_cite_is_kept_committed_to_and_read_back(organisation, name):
    item = make_item(organisation, **CITED | BESIDE_THE_TEXT[name])

    snapshot = Snapshot.objects.get(pk=item.pk)
    again = freeze(read_record(bytes(snapshot.record)), snapshot.frozen_at, USUAL_TERMS)
    stored = json.loads(zlib.decompress(bytes(SnapshotDocuments.objects.get().document)))
    (event,) = events("snapshot.frozen")
    seed = bytes(EventSecret.objects.get(pk=event["id"]).salt_seed)
    assert commit(parts_of(again), seed) == event["parts"]["sha256"]
    assert thaw_documents(stored, json.loads(bytes(snapshot.record))) == again.documents


@pytest.mark.parametrize(("name", "part"), [("structured citations", "citations"), ("a provider's response", "native")])
def test_what_stands_beside_the_text_is_committed_to(name, part):
    parts = dict(parts_of(frozen(**BESIDE_THE_TEXT[name])))

    assert list(parts)[-4:] == ["citations", "native", "abstention_reason", "documents_attribution.sha256"]
    assert [each for each in list(parts)[-4:-1] if parts[each] != b"null"] == [part]
    assert {"documents.0", "documents.1", "documents.2"} <= set(parts)


@pytest.mark.parametrize("name", [each for each in BESIDE_THE_TEXT if "tool_calls" not in BESIDE_THE_TEXT[each]])
def test_the_number_of_parts_does_not_tell_what_stands_beside_the_text(name):
    """Whoever reviews the answer blind reads it in the receipt of the freezing."""
    assert len(parts_of(frozen(**BESIDE_THE_TEXT[name]))) == len(parts_of(frozen()))


def test_the_words_of_the_answer_that_are_found_and_shown_are_those_without_citations(organisation):
    item = make_item(organisation, **CITED | BESIDE_THE_TEXT["an answer object"])

    assert item.snapshot.excerpt == "Adults start with 2 mg. Nobody knows about children."


def test_fields_are_looked_for_in_the_answer_that_an_object_or_a_provider_holds(organisation):
    said = {"answer": "Your risk is elevated.", "claims": [], "citations": [], "unanswered_aspects": []}
    make_item(organisation, **CITED | {"response": json.dumps(said)})

    document = json.loads(zlib.decompress(bytes(SnapshotAttribution.objects.get().document)))
    assert document["clean_text"] == "Your risk is elevated."


def test_an_answer_without_documents_that_says_why_it_was_withheld_is_taken(organisation):
    make_item(organisation, documents=None, response="", abstention_reason="the sources disagree")

    stored = json.loads(zlib.decompress(bytes(SnapshotDocuments.objects.get().document)))
    assert (stored["abstention_reason"], stored["sources"], stored["validity"]["colour"]) == ("the sources disagree", [], "red")


WRONG = {
    "a number as a document": ({"documents": [{"id": "a"}, 7]}, "documents.1", "must be an object or text, not a number"),
    "a list as a title": ({"documents": [{"title": ["a"]}]}, "documents.0.title", "must be text, not a list"),
    "an object as an address": ({"documents": [{"url": {}}]}, "documents.0.url", "must be text, not an object"),
    "a number as content": ({"documents": [{"content": 7}]}, "documents.0.content", "must be text, not a number"),
    "too many withheld": ({"hidden_sections": ["x"] * 1_001}, "hidden_sections", "has 1,001 entries, more than 1,000"),
    "too many shares": ({"completeness": {f"s{n}": 1 for n in range(1_001)}}, "completeness", "has 1,001 entries, more than 1,000"),
    "too many documents": ({"documents": ["x"] * (MOST_DOCUMENTS + 1)}, "documents", "has 1,001 entries, more than 1,000"),
    "text as a tool call": ({"tool_calls": ["web_search"]}, "tool_calls.0", "must be an object, not text"),
    "an object as tool calls": ({"tool_calls": {}}, "tool_calls", "must be a list, not an object"),
    "text as citations": ({"citations": "[1]"}, "citations", "must be a list or an object, not text"),
    "a number as a citation": ({"citations": [{}, 1]}, "citations.1", "must be an object, not a number"),
    "a list as a provider's response": ({"native": []}, "native", "must be an object, not a list"),
    "a list as a reason": ({"abstention_reason": []}, "abstention_reason", "must be text, not a list"),
    "a reason too long": ({"abstention_reason": "x" * 2_001}, "abstention_reason", "is longer than 2,000 characters"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read_is_refused_with_its_place(program, name):
    change, place, reason = WRONG[name]

    assert problem_of(post(program, make_record(**change))) == (422, place, reason)


def test_an_answer_that_cites_more_often_than_is_read_is_stored_and_read_in_part(organisation):
    make_item(organisation, **CITED | {"response": "[1-100] " * 1_011, "documents": ["x"] * 100})

    assert SnapshotDocuments.objects.get().issues["read_in_part"]


def test_more_citations_beside_the_text_than_are_read_are_stored_and_read_in_part(organisation):
    make_item(organisation, **CITED | {"citations": [{"id": "a"}] * 10_001})

    assert SnapshotDocuments.objects.get().issues["read_in_part"]


def test_many_plain_citations_and_ranges_of_an_answer_without_documents_are_taken():
    read_record(json.dumps(make_record(response="[1] " * 50_000, documents=["x"])).encode())
    read_record(json.dumps(make_record(response="[1-9999] 2020-2024" * 50_000)).encode())


def test_whatever_stands_in_documents_is_taken(program):
    odd = [None, "a text", {}, {"content": ["a", {"text": "b"}]}, {"content": {"text": "c"}}, {"title": None, "metadata": {"title": "T"}}]

    assert post(program, make_record(response=ANSWER + " [1] [6] [7]", documents=odd)).status_code == 201


def test_an_age_counts_from_the_day_of_freezing_where_the_record_has_no_day():
    old = {"source_id": "s", "url": "https://www.fda.gov/a", "content": "Rest helps.", "published_at": "March 2010"}
    record = make_record(**CITED | {"response": "Rest helps [1].", "documents": [old], "answered_at": None})
    read = read_record(json.dumps(record).encode())

    assert read.answered_at is None
    assert "published more than 10 years before the answer" in freeze(read, NOW, USUAL_TERMS).documents.answer_trust.trace


def test_an_object_that_was_text_to_an_earlier_engine_stays_text():
    response = 'Here: {"text": "Rest helps.", "citations": []}'
    stored = encode_documents(attribute_documents(response=response, documents=["Rest helps."]))
    earlier = stored | {"clean_text": response, "removed": []}

    assert thaw_grounds(stored, {"response": response}).raw_text == "Here:\n\nRest helps."
    assert thaw_grounds(earlier, {"response": response}).raw_text == response
