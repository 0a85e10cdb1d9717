"""Figures and names of a claim that stand nowhere in its passages: the commonest thing that is made up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attribution.documents.known import Known, is_borne_out, is_known_word, is_short_for, know, numbers_in_words
from attribution.documents.names import names_of
from attribution.documents.wording import without_markers
from attribution.figures import Figure, find_figures
from attribution.lexicon import NUMBER_WORDS
from attribution.model import Span, Word
from attribution.text import fold, fold_words, index_words, lower

_TOO_SMALL = ("0", "1", "2")
"""In words these are as often no count: one of them, two-thirds."""
_LIST_NUMBER = re.compile(r"^[ \t]*(\d{1,3})[.)](?=\s)", re.MULTILINE)


class MissingKind(Word):
    """What stands nowhere."""

    FIGURE = "figure"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure or name as the claim has it, its span in the claim in code points, and one sentence that says what was looked for."""

    kind: MissingKind
    text: str
    span: Span
    trace: str


def find_missing(claim: str, passages: Sequence[str]) -> tuple[Missing, ...]:
    """The figures and names of a claim that stand in none of the passages, in the order of the claim."""
    return find_missing_in(claim, know("\n".join(passages)))


def find_missing_in(claim: str, known: Known) -> tuple[Missing, ...]:
    """The same for passages that are asked more than once."""
    text = without_markers(claim)
    found = [*_missing_figures(text, known), *_missing_numbers_in_words(text, known), *_missing_names(text, known)]
    return tuple(sorted(found, key=lambda each: each.span))


def names_or_counts(claim: str) -> bool:
    """Whether a claim may have a figure or name at all: asked before a passage is read for them."""
    return any(letter.isdigit() or letter.isupper() for letter in claim[1:]) or not NUMBER_WORDS.keys().isdisjoint(fold_words(claim))


def _missing_figures(text: str, known: Known) -> Iterator[Missing]:
    of_lists = {match.start(1) for match in _LIST_NUMBER.finditer(text)}
    readings: dict[Span, list[Figure]] = {}
    for figure in find_figures(lower(text)):
        if figure.span[0] not in of_lists:
            readings.setdefault(figure.span, []).append(figure)
    for span, figures in readings.items():
        if not any(is_borne_out(figure, known) for figure in figures):
            written = text[span[0] : span[1]]
            yield Missing(MissingKind.FIGURE, written, span, f"‘{written}’ stands nowhere in the source, in no form")


def _missing_numbers_in_words(text: str, known: Known) -> Iterator[Missing]:
    words, starts, places = index_words(fold(text))
    for place, count, key in numbers_in_words(words, places):
        if key not in _TOO_SMALL and key not in known.numbers:
            last = place + count - 1
            span = (starts[place], starts[last] + len(words[last]))
            written = text[span[0] : span[1]]
            yield Missing(MissingKind.FIGURE, written, span, f"‘{written}’ stands nowhere in the source, in words or figures")


def _missing_names(text: str, known: Known) -> Iterator[Missing]:
    for name in names_of(text):
        written = text[name.span[0] : name.span[1]]
        unknown = [word for word in name.words if not is_known_word(word, known)]
        if unknown and not is_short_for(written, known):
            what = f"‘{written}’" if len(unknown) == len(name.words) else f"‘{' '.join(unknown)}’ of ‘{written}’"
            yield Missing(MissingKind.NAME, written, name.span, f"{what} stands nowhere in the source")
