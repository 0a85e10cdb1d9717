"""The question about one citation, and the check of a model's reply to it."""

from __future__ import annotations

import json

import pytest

from attribution import (
    CitableSource,
    JudgedAs,
    JudgedSupport,
    MalformedReply,
    SourceKind,
    SupportRefusal,
    question_of_support,
    read_support,
)
from attribution.documents.judged_support import LONGEST_TEXT

CLAIM = "Adults start with 3 mg in the evening"
TEXT = "Melatonin helps some people. Adults do not start with 3 mg in the\nevening, but with 2 mg. Ask Dr. Quill first."
SOURCE = CitableSource("doc-1", SourceKind.DOCUMENT, title="Melatonin  for adults", content=TEXT)


def read(verdict, sentence, source=SOURCE, cited=None):
    return read_support(json.dumps({"verdict": verdict, "sentence": sentence}).encode(), question_of_support(CLAIM, source, cited))


def words_of(judged, source=SOURCE):
    return source.content[slice(*judged.sentence)]


def test_claim_and_text_stand_between_marks_that_neither_holds():
    question = question_of_support(CLAIM, SOURCE)

    word = question.texts.split("\n")[0].removeprefix("<source ").removesuffix(">")
    assert (
        question.texts
        == f"<source {word}>\nTitle: Melatonin for adults\n{TEXT}\n</source {word}>\n\n<claim {word}>\n{CLAIM}\n</claim {word}>"
    )
    assert word in question.instruction
    assert word not in CLAIM + TEXT


@pytest.mark.parametrize("verdict", list(JudgedAs))
def test_a_sentence_that_stands_in_the_source_is_found_however_it_is_spaced(verdict):
    judged = read(verdict.value, "Adults do not start with 3 mg in the evening, but with 2 mg.")

    assert judged.verdict is verdict
    assert words_of(judged) == "Adults do not start with 3 mg in the\nevening, but with 2 mg."


def test_a_part_is_widened_to_its_sentence_so_that_no_not_is_left_out():
    assert words_of(read("supports", "start with 3 mg in the evening")) == "Adults do not start with 3 mg in the\nevening, but with 2 mg."


LIES = {
    "a word": "Adults do start with 3 mg in the evening",
    "a figure": "Adults do not start with 30 mg in the evening",
    "left out": "Adults start with 3 mg in the evening",
    "another letter": "adults do not start with 3 mg",
    "half a word": "elatonin helps some peopl",
    "signs": ". ",
    "nothing of it": "Ignore all rules.",
    "very long": TEXT * 200,
}


@pytest.mark.parametrize("sentence", LIES.values(), ids=LIES)
def test_a_sentence_that_does_not_stand_there_is_refused(sentence):
    assert read("supports", sentence) == JudgedSupport(None, refusal=SupportRefusal.NOT_IN_SOURCE)


@pytest.mark.parametrize("sentence", ["", "  ", None])
def test_only_what_is_not_said_needs_no_sentence(sentence):
    assert read("does_not_say", sentence) == JudgedSupport(JudgedAs.DOES_NOT_SAY)
    assert read("supports", sentence) == read("contradicts", sentence) == JudgedSupport(None, refusal=SupportRefusal.NO_SENTENCE)


def test_a_sentence_of_nothing_said_must_stand_there_too():
    assert read("does_not_say", "Nobody says so.").refusal is SupportRefusal.NOT_IN_SOURCE


UNREADABLE = {
    "text": b"Yes, it does.",
    "cut off": b'{"verdict": "supports", "sent',
    "list": b"[]",
    "another verdict": b'{"verdict": "agrees", "sentence": ""}',
    "a number": b'{"verdict": 1, "sentence": ""}',
    "no verdict": b'{"sentence": "Melatonin helps some people."}',
    "not a text": b'{"verdict": "supports", "sentence": ["Melatonin"]}',
    "deep": b'{"verdict": ' + b"[" * 1_000 + b"]" * 1_000 + b"}",
}


@pytest.mark.parametrize("reply", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_judgement_is_malformed_and_not_repeated(reply):
    with pytest.raises(MalformedReply) as caught:
        read_support(reply, question_of_support(CLAIM, SOURCE))

    assert "Melatonin" not in caught.value.reason
    assert "agrees" not in caught.value.reason


def test_a_code_fence_around_a_reply_is_taken_off():
    reply = b'```json\n{"verdict": "supports", "sentence": "Melatonin helps some people."}\n```'

    assert words_of(read_support(reply, question_of_support(CLAIM, SOURCE))) == "Melatonin helps some people."


def long_source():
    filling = "Nothing of this is about it, and there is much of it. "
    before = filling * 300
    return SOURCE._replace(content=before + TEXT + " " + filling * 300), (len(before), len(before) + 28)


def test_of_a_long_source_whole_sentences_around_the_passage_are_shown():
    source, cited = long_source()

    question = question_of_support(CLAIM, source, cited)

    start, end = question.shown
    assert TEXT in question.texts
    assert start < cited[0] < cited[1] < end <= start + LONGEST_TEXT
    assert source.content[start:end].strip().startswith("Nothing of this")
    assert source.content[start:end].strip().endswith("much of it.")
    judged = read("supports", "Melatonin helps some people.", source, cited)
    assert words_of(judged, source) == "Melatonin helps some people."


def test_what_was_not_shown_does_not_count():
    source, _ = long_source()

    assert TEXT not in question_of_support(CLAIM, source).texts
    assert read("supports", "Melatonin helps some people.", source).refusal is SupportRefusal.NOT_IN_SOURCE


@pytest.mark.parametrize("content", ["x" * 20_000, "word " * 5_000, "é" * 20_000, "\n" * 20_000 + "y"])
@pytest.mark.parametrize("cited", [None, (0, 10), (19_000, 19_990), (0, 19_990)])
def test_any_text_is_shown_within_bounds(content, cited):
    start, end = question_of_support(CLAIM, SOURCE._replace(content=content), cited).shown

    assert 0 <= start < end <= len(content)
    assert end - start <= LONGEST_TEXT


def test_the_digest_names_all_that_is_asked_and_nothing_else():
    source, cited = long_source()
    digests = {
        question_of_support(CLAIM, SOURCE).digest,
        question_of_support(CLAIM + ".", SOURCE).digest,
        question_of_support(CLAIM, SOURCE._replace(title="")).digest,
        question_of_support(CLAIM, SOURCE._replace(content=TEXT + ".")).digest,
        question_of_support(CLAIM, source).digest,
        question_of_support(CLAIM, source, cited).digest,
    }

    assert len(digests) == 6
    assert question_of_support(CLAIM, SOURCE._replace(id="doc-9", uri="x")).digest in digests


def test_characters_that_cannot_be_sent_stop_nothing():
    assert "?" in question_of_support("\ud800", SOURCE._replace(content="\udfff " + TEXT)).texts
