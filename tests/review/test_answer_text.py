"""The answer in pieces: nothing of it is lost, every footnote stands once where its marker stood, every row can be jumped to."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import Attribution, MarkerStatus, attribute
from reviewers.review.page.answer import MOST_PARAGRAPHS, MarkerNote, Paragraph, Piece, lay_out

CONTEXT = {
    "safety": {"risk_level": "elevated", "crisis_plan_on_file": True},
    "therapeutic_fit": {"fit_score": 0.85},
    "provider_genome": {"provider_name": "Ada Quill", "languages": ["English", "Spanish"]},
}
PIECES = (
    *("elevated", "risk", "85%", "Ada Quill", "English", "Spanish", "low risk", "75%", "## ", "- ", ". ", " ", "\n", "\n\n", "\n\n\n"),
    *("[[SF:risk_level]]", "[[TF:fit_score]]", "[[SF:crisis_plan_on_file]]", "[[SF:nothing]]", "[SF:risk_level]", "`[[SF:risk_level]]`"),
)


def laid_out(answer: str, context=CONTEXT) -> tuple[Attribution, list[Paragraph]]:
    attribution = attribute(response=answer, context=context)
    return attribution, lay_out(attribution)


def pieces_of(paragraphs: list[Paragraph]) -> list[Piece]:
    return [part for paragraph in paragraphs for part in paragraph.parts if isinstance(part, Piece)]


def notes_of(paragraphs: list[Paragraph]) -> list[MarkerNote]:
    return [part for paragraph in paragraphs for part in paragraph.parts if isinstance(part, MarkerNote)]


def check(answer: str, context=CONTEXT) -> None:
    attribution, paragraphs = laid_out(answer, context)
    pieces, notes = pieces_of(paragraphs), notes_of(paragraphs)
    text = attribution.clean_text
    assert "".join(piece.text for piece in pieces) == re.sub(r"\n{2,}", "", text)
    well_formed = [order for order, marker in enumerate(attribution.markers) if marker.status is not MarkerStatus.MALFORMED]
    assert sorted(note.order for note in notes) == well_formed
    first = [note.number for note in notes if note.is_first]
    assert sorted(first) == sorted({marker.footnote for marker in attribution.markers if marker.footnote is not None})
    anchors = [row for piece in pieces for row in piece.anchors]
    assert sorted(anchors) == [number for number, row in enumerate(attribution.fields) if row.spans or row.contradiction]


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_nothing_of_an_answer_is_lost_and_everything_can_be_jumped_to(answer):
    check(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "\n\n\n",
        "[[SF:risk_level]]",
        "\n[[SF:risk_level]]\n\n\n",
        "First.\n\n[[SF:risk_level]]\n\nSecond.",
        "\n\n[[SF:risk_level]]\n\nelevated",
        "elevated.\n\nStill elevated [[SF:risk_level]]\n\nelevated",
        "elevated [[SF:risk_level]]\n\n\n[[SF:risk_level]]\n\n\nx",
        "elevated [[SF:risk_level]][[TF:fit_score]]\n\n[[SF:nothing]]",
    ],
    ids=ascii,
)
def test_markers_between_and_around_paragraphs_are_kept(answer):
    check(answer)


def test_more_rows_over_one_word_than_are_drawn_can_all_be_jumped_to():
    check("The level is elevated.", {"safety": {f"risk_level_{number}": "elevated" for number in range(30)}})


def test_an_empty_answer_has_no_paragraphs():
    assert laid_out("")[1] == []


def test_paragraphs_are_cut_at_empty_lines_and_headings_know_their_level():
    _, paragraphs = laid_out("## Fit\n\nOne line\nand another.\n\n\n#no heading\n\n# Two\nlines")

    assert [(paragraph.level, "".join(part.text for part in paragraph.parts)) for paragraph in paragraphs] == [
        (2, "## Fit"),
        (0, "One line\nand another."),
        (0, "#no heading"),
        (0, "# Two\nlines"),
    ]


def test_the_rest_of_very_many_paragraphs_is_one():
    answer = "a\n\n" * 3 * MOST_PARAGRAPHS + "risk is elevated [[SF:risk_level]]\n\nend"
    attribution, paragraphs = laid_out(answer)

    assert len(paragraphs) == MOST_PARAGRAPHS + 1
    assert "".join(piece.text for piece in pieces_of(paragraphs[-1:])) == attribution.clean_text[3 * MOST_PARAGRAPHS :]
    assert [note.number for note in notes_of(paragraphs)] == [1]
    assert {row for piece in pieces_of(paragraphs) for row in piece.anchors} == {0}


def test_a_piece_names_what_is_over_it():
    _, paragraphs = laid_out("Your risk is elevated [[SF:risk_level]] now.")

    assert [(piece.text, piece.kinds, piece.rows, piece.matched) for piece in pieces_of(paragraphs)] == [
        ("Your risk is ", ("cited",), (0,), ()),
        ("elevated", ("cited", "matched"), (0,), (0,)),
        (" now.", (), (), ()),
    ]


def test_a_note_stands_between_the_pieces_where_its_marker_stood():
    _, (paragraph,) = laid_out("elevated [[SF:risk_level]], 85% [[TF:fit_score]] and [[SF:nothing]] again [[SF:risk_level]].")

    line = "".join(part.text if isinstance(part, Piece) else f"<{part.number or part.status}>" for part in paragraph.parts)
    assert line == "elevated<1>, 85%<2> and<unknown> again<1>."
    assert [note.is_first for note in notes_of([paragraph])] == [True, True, False, False]


def test_a_malformed_marker_stands_in_the_text_and_is_marked():
    _, paragraphs = laid_out("So [SF:risk_level] it is.")

    assert [piece.text for piece in pieces_of(paragraphs) if "malformed" in piece.kinds] == ["[SF:risk_level]"]


def test_where_the_answer_contradicts_the_record_its_words_are_marked():
    attribution, paragraphs = laid_out("The fit score is 75%.")

    (contradicted,) = [piece for piece in pieces_of(paragraphs) if "contradicted" in piece.kinds]
    assert contradicted.text in ("75", "75%")
    assert attribution.fields[contradicted.rows[0]].field.leaf == "fit_score"
