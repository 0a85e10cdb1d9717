"""However an answer object is cut on its way, people are shown its text as it arrives, and never its brackets."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attribution import AnswerStream, Grammar, QuotePolicy, attribute_documents, document_instruction, strip

CITATIONS = [{"id": "a", "title": "A {title}", "relevant_quote": 'He said "no".'}]
TEXT = 'Rest helps, she said: "it does".\nTea {too} 𝄞 \\ and [more].'
CLAIMS = [{"text": "Rest helps.", "citations": ["a"]}, {"text": "Tea too.", "citations": []}]
OBJECTS = {
    "answer first": {"answer": TEXT, "claims": CLAIMS, "citations": CITATIONS},
    "answer last": {"citations": CITATIONS, "claims": CLAIMS, "answer": TEXT},
    "text": {"text": TEXT, "citations": CITATIONS},
    "claims alone": {"claims": CLAIMS, "citations": CITATIONS},
    "empty answer": {"answer": "", "claims": CLAIMS},
}
PROSE = (
    "No object at all.",
    "A set {a, b} in a line.",
    'Code:\n```json\n{"a": {"text": "no"}}\n```\nand more.',
    "",
    "{",
    "{}",
    "```\nx\n```",
)


def shown(written: str, places: list[int]) -> str:
    stream = AnswerStream()
    cuts = pairwise([0, *sorted(place % (len(written) + 1) for place in places), len(written)])
    return "".join([*(stream.feed(written[start:end]) for start, end in cuts), stream.finish()])


def folded(text: str) -> str:
    return " ".join(text.split())


def written_forms(value: object) -> list[str]:
    plain, escaped = json.dumps(value, ensure_ascii=False, indent=1), json.dumps(value)
    forms = [plain, escaped, f"```json\n{plain}\n```", f"Here it is:\n\n{escaped}\n", f"Here:\n```\n{escaped}\n```\nThat is all."]
    return [*forms, f"~~~ json\n{escaped}\n~~~"]


@pytest.mark.parametrize("name", OBJECTS)
def test_the_text_of_an_object_is_shown_wherever_it_is_cut(name: str) -> None:
    for written in written_forms(OBJECTS[name]):
        whole = folded(attribute_documents(response=written, documents=["Rest."]).clean_text)
        for place in range(len(written) + 1):
            assert folded(shown(written, [place])) == whole, (written, place)
        assert folded(shown(written, list(range(len(written))))) == whole


@given(st.text(), st.lists(st.integers(min_value=0), max_size=9), st.booleans())
def test_any_text_is_shown_whole(text: str, places: list[int], is_plain: bool) -> None:  # noqa: FBT001
    written = json.dumps({"answer": "." + text, "citations": []}, ensure_ascii=not is_plain)
    assert shown(written, places) == strip("." + text)


@example(PROSE[2], [])
@given(st.one_of(st.sampled_from(PROSE), st.text(alphabet='{}[]":\\\n`~ab ')), st.lists(st.integers(min_value=0), max_size=9))
def test_prose_and_other_objects_are_shown_as_they_are(written: str, places: list[int]) -> None:
    assert folded(shown(written, places)) == folded(written)


def test_the_text_is_shown_as_it_arrives() -> None:
    stream = AnswerStream()
    assert [stream.feed(piece) for piece in ('{"ans', 'wer": "Re', "st he", 'lps [[SF:flags]] now.", "cit', 'ations": []}')] == [
        *("", "Re", "st he", "lps now.", ""),
    ]
    assert stream.finish() == ""


def test_an_object_that_breaks_off_is_shown_as_far_as_its_text_goes() -> None:
    assert shown('{"answer": "Rest helps, and', []) == "Rest helps, and"
    assert shown('{"claims": [{"te', []) == '{"claims": [{"te'


def test_a_stream_can_be_used_again_after_the_end() -> None:
    stream = AnswerStream()
    for _ in range(2):
        assert stream.feed('```\n{"text": "Rest [[SF:fla') + stream.finish() == "Rest [[SF:fla"
        assert stream.feed("Rest.\n ") + stream.finish() == "Rest.\n "


@pytest.mark.parametrize("grammar", [Grammar.STRUCTURED, Grammar.CLAIMS])
def test_the_example_of_each_instruction_is_shown_as_its_text(grammar: Grammar) -> None:
    instruction = document_instruction(grammar, quotes=QuotePolicy.REQUIRED, is_blocking=True)
    example = instruction.partition("For example: ")[2].partition(" These forms")[0]
    for place in range(len(example)):
        assert shown(example, [place]) == "The first visit takes fifty minutes."


@pytest.mark.parametrize("sign", ["\n", " ", "\n`", "```\n", "a", "\n\n~~~"])
def test_little_is_held_back_of_what_only_looks_like_the_beginning(sign: str) -> None:
    stream = AnswerStream()
    written = "```" + sign * 400
    so_far = 0
    for end, character in enumerate(written, start=1):
        so_far += len(stream.feed(character))
        assert end - so_far <= 140
    assert so_far + len(stream.finish()) == len(written)
