"""The lexicon's data files: each well formed, with sources and examples, and no phrase that says two things."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable

import pytest

from attribution.errors import LexiconError
from attribution.lexicon import Example, Lexicon, Value, load_lexicon, read_entries
from attribution.text import words_of

MONEY_AND_SHARES = set("$£€%¢°")


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


def phrases_of(lexicon: Lexicon) -> list[tuple[str, tuple[str, ...], tuple[Example, ...], str]]:
    """What each entry is called, its phrases, examples and source."""
    named = [*lexicon.scales, *lexicon.classes]
    found = [(each.name, said(each.steps if each in lexicon.scales else each.values), each.examples, each.source) for each in named]
    found += [(each.fields[0], each.phrases, each.examples, each.source) for each in lexicon.labels]
    found += [(each.fields[0], each.yes + each.no, each.examples, each.source) for each in lexicon.yes_no]
    found += [(each.words[0], each.words, each.examples, each.source) for each in lexicon.synonyms]
    found += [(each.unit, each.forms, each.examples, each.source) for each in lexicon.units]
    found += [(each.name, each.one + each.other, each.examples, each.source) for each in lexicon.antonyms]
    found += [(each.name, each.others, each.examples, each.source) for each in lexicon.relatives]
    found += [((each.means or each.fields)[0], each.phrases, each.examples, each.source) for each in lexicon.translations]
    return found + [(each.leads[0], each.leads, each.examples, each.source) for each in lexicon.frames]


def said(values: Iterable[Value]) -> tuple[str, ...]:
    return tuple(phrase for value in values for phrase in value.phrases)


def stands(phrase: str, answer: str) -> bool:
    words, text = words_of(phrase), words_of(answer)
    if not words:
        return phrase in answer
    return any(text[start : start + len(words)] == words for start in range(len(text)))


def test_every_example_uses_a_phrase_of_its_entry(lexicon: Lexicon) -> None:
    unused = [
        (name, example.answer)
        for name, phrases, examples, _ in phrases_of(lexicon)
        for example in examples
        if not any(stands(phrase, example.answer) for phrase in phrases)
    ]
    assert unused == []


def test_every_entry_has_a_source_that_is_not_a_data_set(lexicon: Lexicon) -> None:
    sources = {source for *_, source in phrases_of(lexicon)}
    assert all(sources)
    assert not [source for source in sources if re.search(r"_dev\b|\.jsonl|corpus|test set", source)]


def test_no_phrase_is_a_single_letter_or_digit(lexicon: Lexicon) -> None:
    units = {unit.unit for unit in lexicon.units}
    short = [
        (name, phrase)
        for name, phrases, *_ in phrases_of(lexicon)
        for phrase in phrases
        if name not in units and phrase < "\u3400" and len("".join(words_of(phrase))) < 2 and not MONEY_AND_SHARES & set(phrase)
    ]
    assert short == []


def test_no_phrase_stands_in_two_steps_or_values(lexicon: Lexicon) -> None:
    for name, values in [*((each.name, each.steps) for each in lexicon.scales), *((each.name, each.values) for each in lexicon.classes)]:
        owners: dict[tuple[str, ...], set[str]] = {}
        for value in values:
            for phrase in value.phrases:
                owners.setdefault(words_of(phrase) or (phrase,), set()).add(value.value)
        assert {phrase: both for phrase, both in owners.items() if len(both) > 1} == {}, name


def test_the_words_of_yes_are_not_those_of_no(lexicon: Lexicon) -> None:
    for each in lexicon.yes_no:
        assert set(map(words_of, each.yes)).isdisjoint(map(words_of, each.no)), each.fields[0]


def test_a_field_is_named_by_one_entry(lexicon: Lexicon) -> None:
    for entries in (lexicon.labels, lexicon.yes_no):
        counts = Counter(field for each in entries for field in each.fields)
        assert [field for field, count in counts.items() if count > 1] == []


def test_names_of_scales_and_classes_are_their_own(lexicon: Lexicon) -> None:
    counts = Counter(each.name for each in (*lexicon.scales, *lexicon.classes))
    assert [name for name, count in counts.items() if count > 1] == []


def test_units_of_a_kind_are_multiples_of_one(lexicon: Lexicon) -> None:
    kinds = {each.unit: each.kind for each in lexicon.units}
    assert [each.unit for each in lexicon.units if kinds.get(each.base, each.kind) != each.kind] == []
    assert {each.unit: each.factor for each in lexicon.units if each.unit in ("mg", "mcg")} == {"mg": 1, "mcg": 0.001}


def test_a_frame_leads_to_classes_that_there_are(lexicon: Lexicon) -> None:
    known = {each.name for each in (*lexicon.scales, *lexicon.classes)}
    assert [name for each in lexicon.frames for name in each.classes if name not in known] == []


def test_it_is_wide_enough(lexicon: Lexicon) -> None:
    assert len(lexicon.scales) >= 50
    assert len(lexicon.classes) >= 70
    assert sum(len(each.fields) for each in lexicon.labels) >= 1_500
    assert len(lexicon.yes_no) >= 120
    assert len(lexicon.synonyms) >= 500


SCALE = {
    "name": "risk",
    "fields": ["risk"],
    "steps": [{"value": "low", "phrases": ["low"]}, {"value": "high", "phrases": ["high"]}],
    "examples": [{"answer": "Your risk is low.", "field": "intake.risk", "value": "high", "row": "contradicted"}],
    "source": "plain usage",
}


def read(**changed: object) -> None:
    entry = {key: value for key, value in {**SCALE, **changed}.items() if value is not None}
    read_entries("scales.json", json.dumps([entry]).encode())


def test_a_whole_entry_is_read() -> None:
    read()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"source": ""}, "lexicon: scales.json: entry 1 (risk): source: must be a text that is not empty"),
        ({"examples": []}, "lexicon: scales.json: entry 1 (risk): examples: must be a list of 1 or more objects"),
        ({"fields": ["risk", "Risk"]}, "lexicon: scales.json: entry 1 (risk): fields: has 'risk' twice"),
        ({"steps": SCALE["steps"][:1]}, "lexicon: scales.json: entry 1 (risk): steps: must be a list of 2 or more objects"),
        ({"order": 1}, "lexicon: scales.json: entry 1 (risk): order: is not a key of this file"),
        (
            {"steps": [{"value": "low", "phrases": ["low"]}, {"value": "high", "phrases": ["high", "Low"]}]},
            "lexicon: scales.json: entry 1 (risk): steps: 'Low' stands both for 'low' and for 'high'",
        ),
        (
            {"examples": [{"answer": "It is low.", "field": "risk", "value": "low", "row": "found"}]},
            "lexicon: scales.json: entry 1 (risk): examples 1: field: must be a path: section.field",
        ),
        (
            {"examples": [{"answer": "It is low.", "field": "intake.risk", "value": "low", "row": "maybe"}]},
            "lexicon: scales.json: entry 1 (risk): examples 1: row: must be one of found, contradicted, none; is 'maybe'",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_file_and_entry(changed: dict[str, object], message: str) -> None:
    with pytest.raises(LexiconError) as caught:
        read(**changed)
    assert str(caught.value) == message


def test_a_file_that_is_no_list_of_entries_is_refused() -> None:
    with pytest.raises(LexiconError, match=r"labels\.json: must be a list of entries"):
        read_entries("labels.json", b"{}")
    with pytest.raises(LexiconError, match=r"labels\.json: not JSON"):
        read_entries("labels.json", b"[")
    with pytest.raises(LexiconError, match=r"labels\.json: entry 1: must be an object"):
        read_entries("labels.json", b"[3]")
