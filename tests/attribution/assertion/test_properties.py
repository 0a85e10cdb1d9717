"""Properties that hold for any text: a kind for every span, offsets inside the text, no order, steps in proportion to the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.assertion import AssertionKind, Assertions, read_assertions
from tests.attribution.growth import grows_with
from tests.attribution.test_linear import work

_MARKS = [",", ".", ";", ":", "?", "!", "\n", "-", '"', "(", ")", ">", "(-)", "-ve", "r/o", "'s", "no.", "$40", "30", "¿", "sí"]
_PHRASES = ["no", "not", "never", "denies", "if", "may", "she", "her mother", "was", "ruled out", "but", "and", "or", "sorry", "i meant"]
_OTHERS = [
    "history of",
    "most people",
    "you said",
    "fever",
    "May",
    "Never Alone",
    "without",
    "from",
    "to",
    "is now",
    "sin",
    "ni",
    "niega",
    "si",
]
_WORDS = st.sampled_from(_MARKS + _PHRASES + _OTHERS)
_TEXTS = st.one_of(st.text(max_size=120), st.lists(_WORDS, max_size=40).map(" ".join), st.lists(_WORDS, max_size=40).map("".join))
_LANGUAGES = st.sampled_from(["en", "es", "de", ""])


@st.composite
def texts_with_spans(draw):
    text = draw(_TEXTS)
    offsets = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(offsets, offsets).map(lambda pair: (min(pair), max(pair))), max_size=8))
    return text, spans


@given(texts_with_spans(), _LANGUAGES)
def test_every_span_of_any_text_has_a_kind_and_its_trigger_lies_in_the_text(marked, language):
    text, spans = marked
    read = read_assertions(text, spans, language)
    assert len(read) == len(spans)
    for each in read:
        assert isinstance(each.kind, AssertionKind)
        if each.trigger is None:
            assert (each.kind, each.trigger_text) == (AssertionKind.AFFIRMED, "")
        else:
            start, end = each.trigger
            assert 0 <= start < end <= len(text)
            assert each.trigger_text == text[start:end]


@given(texts_with_spans(), _LANGUAGES, st.randoms(use_true_random=False))
def test_the_order_of_spans_does_not_matter(marked, language, random):
    text, spans = marked
    shuffled = random.sample(spans, len(spans))
    by_span = dict(zip(spans, read_assertions(text, spans, language), strict=True))
    assert read_assertions(text, shuffled, language) == [by_span[span] for span in shuffled]


@given(texts_with_spans(), _LANGUAGES)
def test_a_text_can_be_asked_again(marked, language):
    text, spans = marked
    prepared = Assertions(text, language)
    assert prepared.of(spans) == prepared.of(spans) == read_assertions(text, spans, language)


PIECES = {
    "ordinary": "She denies chest pain, but her mother had asthma last year. Is your copay $40? Sorry, I meant $30. ",
    "only denials": "no ",
    "one long list": "no fever, ",
    "commas": "no , ",
    "joiners": "and or nor ",
    "conditions": "if you would ",
    "corrections": "$40 sorry , i meant $30 ",
    "corrections of words": "low scratch that high ",
    "headings": "Denies:\n- fever\n- chills\n",
    "bullets": "\n- not covered: fever",
    "colons": "not : ",
    "quotations": 'you said "no" ',
    "open quotations": "you said “ ",
    "apostrophes": "'no 'if ",
    "questions": "is it, do you? ",
    "one long question": "is it, do you ",
    "block quotations": "> no\n",
    "names": "Never Alone ",
    "backwards": "fever was ruled out ",
    "plurals": "most dentists many people ",
    "no spaces": "no-",
    "marks": ".:;",
}


def steps_of(text: str, language: str) -> int:
    spans = [(start, start + 4) for start in range(0, len(text) - 4, 7)]
    prepared = Assertions(text, language)
    prepared.of(spans)
    return prepared.clauses.steps


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_steps_grow_with_the_text(piece, language):
    short = steps_of(piece * 100, language)
    assert steps_of(piece * 1000, language) <= 11 * short


def test_a_question_about_one_place_does_not_read_all_corrections_again():
    text = "It is 5 pm. I meant 6 pm. " * 2_000
    assertions = Assertions(text, "en")
    (found,) = assertions.of([(6, 10)])
    assert found.kind is AssertionKind.CORRECTED
    assert work(lambda: assertions.of([(6, 10)])) < 1_000


def test_a_question_about_one_place_does_not_read_all_scopes_again():
    assertions = Assertions("No Red Cross here. " * 2_000, "en")
    assert work(lambda: assertions.of([(3, 12)])) < 1_000


def test_bullets_that_are_denied_are_looked_through_once():
    def read(size: int) -> None:
        Assertions("- no x:\n" * size, "en")

    assert grows_with(read, 1_200) < 4


def test_what_stands_in_bullets_below_a_denial_is_denied_by_the_first():
    text = "She has no:\n- rash\n- cough\n- fever and no:\n- pain\n- chills\n"
    spans = [(text.index(word), text.index(word) + len(word)) for word in ("rash", "fever", "pain", "chills")]
    assert {each.kind for each in read_assertions(text, spans, "en")} == {AssertionKind.NEGATED}
