"""De-identification finds as much of each kind as the page says, leaves doses and scores alone, and takes linear time."""

from __future__ import annotations

import json
from time import process_time

import pytest

from reviewers.accounts.models import Role
from reviewers.reports.disclosure.identifier_patterns import SHAPES
from reviewers.reports.disclosure.identifiers import Pseudonyms, Replacer
from reviewers.reports.disclosure.profiles import FILE, read_recall
from reviewers.reports.disclosure.strategies import Deidentifying
from tests.accounts.outside import make_external
from tests.attribution.test_linear import work
from tests.factories import make_member, sign_in
from tests.protected_text.invented.measuring import measure
from tests.protected_text.invented.records import HALVES, KINDS, RECORDS
from tests.sampling import sampled

NEVER_FOUND = "names_alone"
LEAST = {"developed": 0.93, "held_out": 0.65}
PUMPS = (
    "a",
    "A",
    "1",
    "0",
    "9",
    ".",
    "-",
    "/",
    "*",
    "1-",
    "1.",
    "1/",
    "1 ",
    "a.",
    "a@",
    "a-",
    "Aa ",
    "A ",
    "A1",
    "f:",
    "ff:",
    ":",
    "one ",
    "DE12 ",
)
PUMPS_OF_WORDS = (
    "MRN ",
    "MRN # ",
    "age ",
    "born ",
    "lives in Aa",
    "12 Aa ",
    "http://",
    "data:a/b;",
    "my son ",
    "Dr. ",
    "1 May ",
    "may ",
    "www.",
    "a at ",
)


def told(text: str, **context: object) -> str:
    return Deidentifying({"context": {"all": context}}, (), (), Pseudonyms(b"key"), 2026).text(text)


def test_the_figures_that_the_page_shows_are_those_that_are_measured():
    assert measure() == json.loads(FILE.read_bytes())


def test_of_each_kind_most_are_found_and_little_else_is_taken_out():
    figures = json.loads(FILE.read_bytes())

    assert figures["records"] == RECORDS == 300
    for kind in KINDS:
        for half in HALVES:
            found = figures["kinds"][kind][half]
            assert found["planted"] >= 100
            assert kind == NEVER_FOUND or found["found"] >= LEAST[half] * found["planted"], (kind, half, found)
    for half in HALVES:
        assert figures["nothing"][half]["changed"] <= 0.02 * figures["nothing"][half]["sentences"]


@pytest.mark.parametrize("text", ["age 93", "lives in Springfield 62704", "MRN 778812"])
def test_what_the_first_attack_found_is_gone(text):
    assert not {"93", "Springfield", "62704", "778812"} & set(told(text).split())


def test_a_year_of_birth_does_not_tell_an_age_over_89():
    assert "1931" not in told("She was born in 1931.")
    assert "1958" in told("She was born in 1958.")
    change = Deidentifying({"context": {}}, (), (), Pseudonyms(b"key"), 2026)
    assert change.value("patient", "date_of_birth", "1931-05-02") == "90 or more"
    assert change.value("patient", "date_of_birth", "1958-05-02") == "1958"
    assert change.value("patient", "age", "93 years") == "90 or more"


def test_a_field_that_holds_no_name_does_not_take_a_common_word_out_of_answers():
    assert told("There is no other way.", contact="no", caregiver="other") == "There is no other way."


def test_a_name_is_found_however_its_words_are_spaced_and_not_within_others():
    assert Replacer({"ada lovelace": "[x]"}).replace("ADA   Lovelace, Adage").text == "[x], Adage"


@pytest.mark.parametrize("pump", sampled([*PUMPS, *PUMPS_OF_WORDS], more=8))
def test_each_pattern_takes_time_in_proportion_to_the_text(pump):
    short, long = ((pump * (size // len(pump))) for size in (6_000, 24_000))
    slow = [shape for shape in SHAPES if not is_in_proportion(shape, short, long)]
    assert [shape.pattern.pattern for shape in slow if not any(is_in_proportion(shape, short, long) for _ in range(3))] == []


def is_in_proportion(shape, short: str, long: str) -> bool:
    """Measured once more where it is not: the collector of garbage may have come in between."""
    before, after = cost_of(shape, short), cost_of(shape, long)
    return after < 0.05 or after < 12 * before


def cost_of(shape, text: str) -> float:
    begun = process_time()
    for _ in shape.found(text):
        pass
    return process_time() - begun


def test_known_values_are_looked_up_once_whatever_their_number():
    known = {f"name {number}": "[x]" for number in range(20_000)}
    replacer = Replacer(known)
    begun = process_time()
    replacer.replace("name " * 20_000)
    assert process_time() - begun < 5


def test_a_text_that_takes_too_long_to_compare_with_known_values_loses_its_end():
    """Each place of a text of dots was compared with two hundred dots of a name: a megabyte took two hundred million comparisons."""
    replacer = Replacer({"." * 199 + "a": "[x]"})
    text = "." * 1_000

    assert replacer.replace("Ada. " * 50).text == "Ada. " * 50
    assert replacer.replace(text).text.endswith("[removed]")
    assert work(lambda: replacer.replace(text)) < 150 * len(text)


def test_the_page_where_it_is_asked_for_says_how_much_is_found(organisation):
    page = sign_in(make_member(organisation, Role.AUDITOR)).get("/exports/new/").content.decode()

    row = next(row for row in read_recall().rows if row.name == "Medical record numbers")
    assert f"found {row.held_out.found} of {row.held_out.planted}" in page
    assert "It cannot promise" in page
    outside = sign_in(make_external(organisation)).get("/exports/new/").content.decode()
    assert "It cannot promise" not in outside
