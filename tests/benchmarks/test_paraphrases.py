"""The dictionary of other names, and keys renamed by it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from attribution import DEFAULT_PROFILE
from benchmarks.accuracy import paraphrase
from benchmarks.accuracy.paraphrase import DictionaryError, paraphrase_key, paraphrase_turn, read_dictionary

REGISTRY = DEFAULT_PROFILE.registry
KEYS = sorted({*REGISTRY.types, *(field for section in REGISTRY.sections for field in section.fields)})
DICTIONARY = {("fee",): "charge", ("fee", "range"): "cost_span", ("street", "address"): "location_line", ("city",): "town"}


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_the_registry_has_other_names(key: str) -> None:
    names = [paraphrase_key(key, column) for column in read_dictionary()]
    assert key not in names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("section", REGISTRY.sections, ids=lambda section: section.name)
def test_no_two_fields_of_a_section_become_one(section: Any) -> None:
    for column in read_dictionary():
        assert len({paraphrase_key(field, column) for field in section.fields}) == len(section.fields)


def test_every_paraphrase_could_be_a_key() -> None:
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) for column in read_dictionary() for name in column.values())


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("fee_range", "cost_span"),
        ("first_fee", "first_charge"),
        ("streetAddress", "location_line"),
        ("home-city", "home_town"),
        ("phone_number", "phone_number"),
        ("0", "0"),
        ("…", "…"),
    ],
)
def test_the_longest_phrase_of_a_key_is_replaced(key: str, name: str) -> None:
    assert paraphrase_key(key, DICTIONARY) == name


def test_labels_follow_their_fields_however_deep() -> None:
    turn = {
        "context": {"safety": {"visits": [{"city": "Leeds"}, {"fee": 3}], "fee": {"city": 1}}},
        "gold": [{"section": "safety", "path": path} for path in ("visits.0.city", "visits.1.fee", "fee.city", "nowhere")],
    }
    renamed = paraphrase_turn(turn, DICTIONARY)
    assert renamed["context"] == {"safety": {"visits": [{"town": "Leeds"}, {"charge": 3}], "charge": {"town": 1}}}
    assert [label["path"] for label in renamed["gold"]] == ["visits.0.town", "visits.1.charge", "charge.town", "nowhere"]


def test_a_key_that_would_be_called_like_another_keeps_its_name() -> None:
    context = {"fee": 1, "charge": 2, "city": "Leeds", "City": "York"}
    renamed = paraphrase_turn({"context": {"safety": context}, "gold": []}, DICTIONARY)["context"]["safety"]
    assert renamed == {"fee": 1, "charge": 2, "town": "Leeds", "City": "York"}


@pytest.mark.parametrize("line", ["city", "city = town | locality", "city = town | | locality"])
def test_a_line_that_cannot_be_used_is_named(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "paraphrases.txt"
    path.write_text(f"# names\n{line}\n")
    monkeypatch.setattr(paraphrase, "_DICTIONARY", path)
    with pytest.raises(DictionaryError, match="line 2: "):
        read_dictionary.__wrapped__()


def test_every_key_of_a_turn_is_renamed_in_each_column() -> None:
    turn = {"context": {"safety": {"visits": [{"city": "Leeds", "fee_range": "$3-$5"}], "street_address": "Mill Lane 3"}}, "gold": []}
    for column in read_dictionary():
        assert _keys(paraphrase_turn(turn, column)["context"]["safety"]).isdisjoint(_keys(turn["context"]["safety"]) - {"visits"})


def _keys(content: Any) -> set[str]:
    """The keys of all objects."""
    if isinstance(content, list):
        return set().union(*map(_keys, content))
    return set(content) | set().union(*map(_keys, content.values())) if isinstance(content, dict) else set()
