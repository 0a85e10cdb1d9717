"""Results of checking a cited sentence are stated plainly, the worst first, and never exaggerated."""

from __future__ import annotations

import pytest

from tests.reports.finding import make_suggestion, open_sheet, part

SOURCE = "Adults start with 2 mg in the evening, an hour before going to bed. Whoever drives should wait a day."


@pytest.mark.parametrize(
    ("cited", "words", "tone"),
    [
        (
            {"response": "Adults start with 2 mg in the evening [1]."},
            "Most of these words are in the document. Whether it says this, only reading it tells.",
            "quiet",
        ),
        (
            {"response": "Adults start with 5 mg in the evening [1]."},
            "“5” is not in the document. The document seems to say the opposite.",
            "bad",
        ),
        (
            {"response": "Adults stop with 2 mg of melatonin in the morning before going to bed [1]."},
            "Most of these words are in the document, but something differs.",
            "warn",
        ),
        ({"response": "Llamas hum at the moon when nobody looks [1]."}, "Few of these words are in the document.", "warn"),
        (
            {
                "response": 'It says "an hour before going to bed" [1].',
                "citations": [{"source_id": "a", "quote": "an hour before going to bed"}],
            },
            "The quoted words are in the document.",
            "good",
        ),
        (
            {"response": "It is so.", "citations": [{"source_id": "a", "quote": "a week before going to sea"}]},
            "The quoted words are not in the document.",
            "bad",
        ),
        ({"response": "Adults start so [1].", "documents": [{"id": "a", "title": "Empty"}]}, "Could not be checked.", "quiet"),
    ],
)
def test_a_verdict_is_a_short_sentence_with_its_tone(organisation, coordinator, cited, words, tone):
    item = make_suggestion(organisation, **{"documents": [{"id": "a", "title": "Melatonin", "content": SOURCE}]} | cited)

    flags = [each.find("span", class_="flag")[-1] for each in part(open_sheet(coordinator, item), "documents").find("li")]
    assert (words, tone) in [(flag.text, flag["data-tone"]) for flag in flags]


def test_an_answer_without_documents_has_no_such_part(organisation, coordinator):
    page = open_sheet(coordinator, make_suggestion(organisation))

    assert not page.find("section", aria_labelledby="documents")
