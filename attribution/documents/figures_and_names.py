"""Figures and names of a claim that stand nowhere in its passages: the commonest thing that is made up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attribution.documents.abbreviations import is_shortened
from attribution.documents.known import Known, is_borne_out, is_initialed, is_known_word, is_short_for, know, numbers_in_words
from attribution.documents.measures import Measured, find_decades, find_measured
from attribution.documents.names import Name, names_of
from attribution.documents.wording import without_markers
from attribution.figures import Figure, canonical_number, find_figures
from attribution.lexicon.words import NUMBER_WORDS
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
    """Return True if a claim may have a figure or name at all: asked before a passage is read for them."""
    return any(letter.isdigit() or letter.isupper() for letter in claim[1:]) or not NUMBER_WORDS.keys().isdisjoint(fold_words(claim))


def _missing_figures(text: str, known: Known) -> Iterator[Missing]:
    of_lists = {match.start(1) for match in _LIST_NUMBER.finditer(text)}
    readings: dict[Span, list[Figure]] = {}
    lowered = lower(text)
    decades = find_decades(lowered)
    measured = {each.span[0]: each for each in find_measured(lowered)}
    for decade, span in decades:
        if decade not in known.decades:
            written = text[slice(*span)]
            yield Missing(MissingKind.FIGURE, written, span, f"‘{written}’ stands nowhere in the source, nor a year of it")
    for figure in find_figures(lowered):
        if figure.span[0] not in of_lists and not any(start <= figure.span[0] < end for _, (start, end) in decades):
            readings.setdefault(figure.span, []).append(figure)
    read = {span[0] for span in readings}
    yield from _missing_amounts(text, [each for start, each in measured.items() if start not in read], known)
    for span, figures in readings.items():
        amount = measured.get(span[0])
        if amount and (amount.base, amount.value) in known.amounts:
            continue
        if amount and not amount.is_time and canonical_number(amount.number) in known.measured:
            yield from _missing_amounts(text, [amount], known)
        elif not any(is_borne_out(figure, known) for figure in figures):
            written = text[span[0] : span[1]]
            yield Missing(MissingKind.FIGURE, written, span, f"‘{written}’ stands nowhere in the source, in no form")


def _missing_amounts(text: str, amounts: Sequence[Measured], known: Known) -> Iterator[Missing]:
    """Yield amounts whose number the source has in other units only, or not at all."""
    for each in amounts:
        is_known = (each.base, each.value) in known.amounts or (
            canonical_number(each.number) in known.numbers and (each.is_time or canonical_number(each.number) not in known.measured)
        )
        if not is_known:
            written = text[slice(*each.span)]
            yield Missing(MissingKind.FIGURE, written, each.span, f"‘{written}’ stands nowhere in the source, in no unit")


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
        if unknown and not _is_known_otherwise(name, written, unknown, known):
            what = f"‘{written}’" if len(unknown) == len(name.words) else f"‘{' '.join(unknown)}’ of ‘{written}’"
            yield Missing(MissingKind.NAME, written, name.span, f"{what} stands nowhere in the source")


def _is_known_otherwise(name: Name, written: str, unknown: Sequence[str], known: Known) -> bool:
    """Return True if a name stands in the passages in another form: abbreviated, written out, or with initials."""
    if is_short_for(written, known) or all(is_short_for(word, known) for word in unknown):
        return True
    return is_initialed(name.words, unknown, known) or is_shortened(written, known.words)
