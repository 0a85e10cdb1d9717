"""Sentences as clinicians and care navigators write them, and the examples that are beside the triggers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import pytest

from attribution.assertion import AssertionKind, read_assertions
from attribution.assertion.triggers import entries
from tests.attribution.assertion.marked_sentences import Sentence, known_gaps, sentence, sentences

FILES = {file: [*found] for file, found in groupby(sentences(), lambda marked: marked.where.partition(":")[0])}


def examples(language: str) -> list[Sentence]:
    """The sentences beside the triggers of a language."""
    return [
        sentence(example["text"], example["assertion"], language, entry["phrase"])
        for entry in entries()["triggers"]
        if entry["language"] == language
        for example in entry["examples"]
    ]


def kinds_of(marked: Sentence) -> list[str]:
    return [str(read.kind) for read in read_assertions(marked.text, marked.spans, marked.language)]


def misread(found: Iterable[Sentence]) -> list[tuple[str, str, list[str], list[str]]]:
    """Return the sentences that are not read as they are meant: where, the text, what is read and what is meant."""
    return [(each.where, each.text, kinds, each.kinds) for each in found if (kinds := kinds_of(each)) != each.kinds]


@pytest.mark.parametrize("file", FILES)
def test_each_mention_of_a_sentence_is_read_as_it_is_meant(file):
    assert misread(FILES[file]) == []


@pytest.mark.parametrize("language", sorted({entry["language"] for entry in entries()["triggers"]}))
def test_each_trigger_does_what_its_example_says(language):
    assert misread(examples(language)) == []


@pytest.mark.parametrize("marked", list(known_gaps()), ids=lambda marked: marked.where)
def test_known_gaps_are_still_gaps(marked):
    assert kinds_of(marked) != marked.kinds, "this sentence is read now: take the exclamation mark away"


def test_each_entry_says_where_it_comes_from_and_has_an_example():
    for entry in entries()["triggers"]:
        assert entry["source"], entry["phrase"]
        assert entry["examples"], entry["phrase"]
        assert entry["kind"] in {"trigger", "pseudo", "terminator"}, entry["phrase"]
        assert entry["direction"] in {"before", "after", "both"}, entry["phrase"]
        assert entry["class"] in {"any", "copular", *AssertionKind}, entry["phrase"]


def test_the_trigger_is_named_with_its_place():
    text = "She denies chest pain."
    read = read_assertions(text, [(11, 21)], "en")[0]
    assert read.trigger == (4, 10)
    assert read.trigger_text == "denies"


def test_a_language_without_triggers_affirms_everything():
    assert read_assertions("Sie hat kein Fieber.", [(13, 19)], "de")[0].kind is AssertionKind.AFFIRMED


def test_a_region_of_a_language_is_read_as_the_language():
    assert read_assertions("No fever.", [(3, 8)], "en-US")[0].kind is AssertionKind.NEGATED
