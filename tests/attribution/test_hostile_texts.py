"""Texts that once took the engine seconds or minutes."""

from __future__ import annotations

from itertools import product
from operator import itemgetter

import pytest

from attribution import attribute, attribute_documents
from attribution.documents.wording import Wording
from tests.attribution.growth import cpu_seconds, grows_with
from tests.sampling import sampled

MOST_SECONDS = 4.0
"""Each took twice to fifty times as long; now it is well below half a second, and the machine may be a slow one."""

CONTEXT = {"provider_genome": {"provider_name": "Dr. Ada Quill", "fee": 85}}


@pytest.mark.parametrize("unit", ["1", "Aa", "A&", "A1", "9a", "A.'", "aB3+/x9Q", "1_", "A-", "A_", "é1", "A’"])
def test_a_long_run_without_spaces_is_read_in_time_that_grows_with_its_length(unit: str) -> None:
    answer = unit * (100_000 // len(unit))
    assert cpu_seconds(lambda: attribute(response=answer, context=CONTEXT), enough=MOST_SECONDS) <= MOST_SECONDS


def test_words_in_capitals_are_looked_up_once_in_what_is_known() -> None:
    """Each of them was looked for in the text of all values, which here is a megabyte."""
    context = {"safety": {f"note_{number}": [f"word{number} {each} " * 24 for each in range(20)] for number in range(400)}}
    answer = " ".join(f"Name{number}" for number in range(15_000))
    assert cpu_seconds(lambda: attribute(response=answer, context=context), enough=MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.parametrize(
    ("unit", "value"),
    sampled(
        product(["your autopay ", "autopay is on and ", "Shall we set up autopay and ", "autopay no autopay yes "], [False, True, "no"]),
        itemgetter(0),
    ),
)
def test_many_fields_of_yes_or_no_that_an_answer_repeats_are_read_in_bounds(unit: str, value: object) -> None:
    """Each phrase of the answer was read anew for each field, and with it the whole sentence: two thousand took ten seconds."""
    context = {f"plan_{number}": {"autopay": value} for number in range(2_000)}
    answer = unit * (100_000 // len(unit))
    assert cpu_seconds(lambda: attribute(response=answer, context=context), enough=MOST_SECONDS) <= MOST_SECONDS


def document(size: int) -> str:
    """A text without the end of any sentence."""
    words = " ".join(f"word{number % 977} not {number % 31} staff open" for number in range(size // 20))
    return words[:size]


def test_quotes_of_one_long_document_are_looked_up_in_it() -> None:
    """The document was read anew for each of them: 300 quotes of 160 kB took 15 seconds, of 407 kB 143."""
    text = document(407_000)
    quotes = [text[place * 100 : place * 100 + 60] for place in range(300)]
    answer = " ".join(quote.replace("not", "") + " [1]." for quote in quotes)
    citations = [{"id": "handbook", "quote": quote} for quote in quotes]

    def cite() -> None:
        attribute_documents(response=answer, documents=[{"id": "handbook", "text": text}], citations=citations)

    assert cpu_seconds(cite, enough=MOST_SECONDS) <= MOST_SECONDS


def test_each_window_of_a_passage_is_read_once() -> None:
    passage = Wording(document(4_000))
    assert passage.window((0, 500)).transcript is passage.window((0, 500)).transcript
    assert passage.window((0, 500)).text == passage.text[:500]


ENDLESS = {
    "whole": "1" * 5_000,
    "fraction": f"1.{'1' * 5_000}",
    "fraction with a comma": f"5,{'1' * 5_000}",
    "thousands": f"1{',111' * 1_600}",
}
"""Numbers of more digits than Python reads."""
FRAMES = {"English": "", "German": "Das ist nicht die mit und für ein. ", "Chinese": "您的预约已经确认请按时到达谢谢。" * 3}
BEHIND = ("", "mg", " mcg", "ml", "%", " percent", "$", " dollars", " euros", "元", "k", " tage", "天", " uhr", " weeks", "st", ":30", "/2")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("number", ENDLESS)
def test_a_number_without_end_is_no_figure_and_no_error(number: str, frame: str) -> None:
    """Python refuses to read one of more than 4,300 digits: a single answer with "1111…mg" could not be stored."""
    for said in [f"{ENDLESS[number]}{behind}" for behind in BEHIND] + [f"{before}{ENDLESS[number]}" for before in ("$", "r$ ", "us$")]:
        attribute(response=FRAMES[frame] + said, context=CONTEXT)
        attribute_documents(response=f"Take {said} daily [1].", documents=[f"Take {said} daily."])


def test_values_of_a_closed_set_are_compared_in_time_that_grows_with_sentence_and_fields() -> None:
    """Their sentence was read anew for each place and field: 100 fields beside a sentence of 100 kB took half a minute."""

    def compare(size: int) -> None:
        said = "orthodontist x periodontist x endodontist x " * 40
        attribute(response=said + "x " * (100 * size), context={"safety": {f"zz_{number}": "dentist" for number in range(size)}})

    assert grows_with(compare, 20) <= 3
