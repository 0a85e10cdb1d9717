"""How a quote without ellipses stands in a passage: word for word, spaced otherwise, cut inside a word, or most nearly."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.documents.alignment import Alignment, align
from attribution.documents.changes import gravest_change
from attribution.documents.quote_check import LEAST_SIMILARITY, QuoteCheck, QuoteRule, at, clip
from attribution.documents.transcript import SIGNS, Transcript
from attribution.figures import MOST_PLACES
from attribution.model import Span

_FEWEST_LETTERS_CUT = 4
"""A word that is cut at the edge of a quote must keep so many letters, and lose one or two: what is left is then hardly another word."""
_FEWEST_SHARED = 2
_NEGATING_LETTERS = frozenset(("a", "n", "an", "un", "in", "im", "il", "ir", "de"))
"""Cut off from the beginning of a word, these turn it around."""


def find_part(quote: Transcript, passage: Transcript, behind: int) -> QuoteCheck:
    """Without ellipses, at or behind an offset of the passage: word for word, else cut or spaced otherwise, else most nearly."""
    return _exact(quote, passage, behind) or _tight(quote, passage, behind) or _nearest(quote, passage, behind)


def _exact(quote: Transcript, passage: Transcript, behind: int) -> QuoteCheck | None:
    for found in _found(quote.line, passage.line, passage.offsets_behind(behind)[0]):
        first = passage.place(found + 1)
        if not _leaves_out_sign(quote, passage, first):
            last = first + len(quote.tokens) - 1
            return _verified(QuoteRule.EXACT, passage.span(first, last), "stands word for word")
    return None


def _found(wanted: str, line: str, begin: int) -> Iterator[int]:
    """Return where a text stands in another, at most ``MOST_PLACES``: keeps hostile repetition linear."""
    found = line.find(wanted, begin)
    for _ in range(MOST_PLACES):
        if found < 0:
            return
        yield found
        found = line.find(wanted, found + 1)


def _leaves_out_sign(quote: Transcript, passage: Transcript, first: int) -> bool:
    """Return True if the quote begins with a figure whose sign stands before the window: 5 for −5."""
    return quote.tokens[0][0].isdigit() and first > 0 and passage.tokens[first - 1] in SIGNS


def _tight(quote: Transcript, passage: Transcript, behind: int) -> QuoteCheck | None:
    """Spaced or hyphenated otherwise, or beginning or ending inside a word."""
    for found in _found(quote.tight, passage.tight, passage.offsets_behind(behind)[1]):
        first, before = passage.tight_place(found)
        last, last_before = passage.tight_place(found + len(quote.tight) - 1)
        after = len(passage.tokens[last]) - last_before - 1
        if _leaves_out_sign(quote, passage, first):
            continue
        if not before and not after:
            return _verified(QuoteRule.EXACT, passage.span(first, last), "stands word for word, spaced otherwise")
        if _may_be_cut(quote.tokens, passage.tokens[first], before, passage.tokens[last], after):
            cut = passage.written(first if before else last)
            return _verified(QuoteRule.CUT, passage.span(first, last), f"stands there, cut inside the word ‘{cut}’")
    return None


def _may_be_cut(quoted: list[str], first: str, before: int, last: str, after: int) -> bool:
    """A single letter lost at the beginning, one or two at the end, and never of a single word."""
    if len(quoted) < 2 or before > 1 or after > 2:
        return False
    begins = not before or (
        first[before:] == quoted[0]
        and (first == "the" or (len(quoted[0]) >= _FEWEST_LETTERS_CUT and first[:before] not in _NEGATING_LETTERS and first.isalpha()))
    )
    ends = not after or (last[:-after] == quoted[-1] and len(quoted[-1]) >= _FEWEST_LETTERS_CUT and last.isalpha())
    return begins and ends


def _nearest(quote: Transcript, passage: Transcript, behind: int) -> QuoteCheck:
    nearest = align(quote, passage)
    if nearest is None:
        return QuoteCheck(QuoteRule.ABSENT, 0.0, None, f"no word of ‘{clip(quote.text)}’ stands in the source")
    change = gravest_change(nearest, quote, passage)
    if change is None:
        return _same_words(quote, passage, nearest, behind)
    window = passage.span(nearest.first, nearest.last)
    similarity = round(nearest.similarity, 4)
    if similarity < LEAST_SIMILARITY and not _differs_in_one_word(nearest, quote):
        trace = f"the source has nothing nearer than ‘{clip(passage.text[window[0] : window[1]])}’ (similarity {similarity:.2f})"
        return QuoteCheck(QuoteRule.ABSENT, similarity, window, trace)
    rule, trace = change
    return QuoteCheck(rule, similarity, window, trace)


def _differs_in_one_word(nearest: Alignment, quote: Transcript) -> bool:
    """Return True if one word is other, extra or left out, and two or more are not: in a short quote that is much, and yet altered."""
    return len(nearest.differences) == 1 and len(quote.tokens) - (nearest.differences[0].quoted >= 0) >= _FEWEST_SHARED


def _same_words(quote: Transcript, passage: Transcript, nearest: Alignment, behind: int) -> QuoteCheck:
    """No word is another one: verified but for slips of spelling, if the sign of a figure and the order of parts are right too."""
    window = passage.span(nearest.first, nearest.last)
    similarity = round(nearest.similarity, 4)
    if _leaves_out_sign(quote, passage, nearest.first):
        sign = passage.written(nearest.first - 1)
        return QuoteCheck(QuoteRule.ALTERED_FIGURE, similarity, window, f"the quote leaves out ‘{sign}’ before ‘{quote.written(0)}’")
    if window[0] < behind:
        return QuoteCheck(QuoteRule.ABSENT, similarity, window, f"‘{clip(quote.text)}’ stands only before the part ahead of it")
    slips = ", ".join(f"‘{passage.written(each.source)}’" for each in nearest.differences)
    return QuoteCheck(QuoteRule.SLIP, similarity, window, f"stands at {at(window)} but for the spelling of {slips}")


def _verified(rule: QuoteRule, window: Span, how: str) -> QuoteCheck:
    return QuoteCheck(rule, 1.0, window, f"{how}, at {at(window)}")
