"""Whether a quote stands in the passage it is said to be from.

A quote is refused for one changed word, however like the rest may be: case, spacing, punctuation, ellipses and slips of spelling pass,
a changed figure, name, negation or other word does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attribution.documents.alignment import Alignment, Difference, align
from attribution.documents.transcript import SIGNS, Transcript
from attribution.documents.variants import is_same_word
from attribution.figures import MOST_PLACES
from attribution.lexicon import NEGATIONS, NUMBER_WORDS
from attribution.model import Span, Word

LEAST_SIMILARITY = 0.85
"""A window that is less like the quote is another text, not an altered quote."""

_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,})\s*")
_MOST_PARTS = 12
_LONGEST_GAP = 100
"""So many words an ellipsis may stand for: more is a leap to another place."""

_FEWEST_LETTERS_CUT = 4
"""A word that is cut at the edge of a quote must keep so many letters, and lose one or two: what is left is then hardly another word."""
_NEGATING_LETTERS = frozenset(("a", "n", "an", "un", "in", "im", "il", "ir", "de"))
"""Cut off from the beginning of a word, these turn it around."""
_NEGATIONS = NEGATIONS | frozenset(("didnt", "doesnt", "wasnt", "werent", "hasnt", "havent", "hadnt", "couldnt", "shouldnt", "wouldnt"))


class QuoteRule(Word):
    """What was found: the first four are verified, the others are not."""

    EXACT = "exact"
    CUT = "cut"
    SLIP = "slip"
    ELLIPSIS = "ellipsis"
    ALTERED_FIGURE = "altered_figure"
    ALTERED_NEGATION = "altered_negation"
    ALTERED_NAME = "altered_name"
    ALTERED_WORD = "altered_word"
    ABSENT = "absent"
    EMPTY = "empty"


_VERIFIED = frozenset((QuoteRule.EXACT, QuoteRule.CUT, QuoteRule.SLIP, QuoteRule.ELLIPSIS))


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """What became of a quote.

    ``similarity`` is that of the window most like the quote, between 0 and 1 by characters; ``window`` its span in the passage in code
    points, none where nothing is like it. ``trace`` says in one sentence why the quote is verified or refused.
    """

    rule: QuoteRule
    similarity: float
    window: Span | None
    trace: str

    @property
    def is_verified(self) -> bool:
        """Whether the passage has these words."""
        return self.rule in _VERIFIED


def check_quote(quote: str, passage: str) -> QuoteCheck:
    """Look for a quote in a passage; for one with ellipses, for its parts in their order."""
    return check_quote_in(quote, Transcript(passage))


def check_quote_in(quote: str, passage: Transcript) -> QuoteCheck:
    """The same for a passage that is asked more than once."""
    whole = Transcript(quote)
    if not whole.tokens:
        return QuoteCheck(QuoteRule.EMPTY, 0.0, None, "the quote has no words")
    parts = [part for part in map(Transcript, _ELLIPSIS.split(quote, _MOST_PARTS)) if part.tokens]
    return _check_parts(parts, passage) if len(parts) > 1 else _check_part(whole, passage, 0)


def _check_parts(parts: list[Transcript], passage: Transcript) -> QuoteCheck:
    """Each part behind the one before. Nothing that was left out may deny what is left."""
    checks: list[QuoteCheck] = []
    behind = 0
    for part in parts:
        check = _check_part(part, passage, behind)
        if not check.is_verified or check.window is None:
            return check
        gap = _tokens_between(passage, behind, check.window[0]) if checks else []
        if len(gap) > _LONGEST_GAP:
            trace = f"the ellipsis before ‘{_clip(part.text)}’ leaves out {len(gap)} words"
            return QuoteCheck(QuoteRule.ABSENT, check.similarity, check.window, trace)
        if denial := next((token for token in gap if token in _NEGATIONS), ""):
            trace = f"the ellipsis before ‘{_clip(part.text)}’ leaves out ‘{denial}’"
            return QuoteCheck(QuoteRule.ALTERED_NEGATION, check.similarity, check.window, trace)
        behind = check.window[1]
        checks.append(check)
    window = (checks[0].window or (0, 0))[0], behind
    similarity = min(check.similarity for check in checks)
    return QuoteCheck(QuoteRule.ELLIPSIS, similarity, window, f"its {len(parts)} parts stand in this order at {_at(window)}")


def _check_part(quote: Transcript, passage: Transcript, behind: int) -> QuoteCheck:
    """Without ellipses, at or behind an offset of the passage: word for word, else cut or spaced otherwise, else most nearly."""
    return _exact(quote, passage, behind) or _tight(quote, passage, behind) or _nearest(quote, passage, behind)


def _exact(quote: Transcript, passage: Transcript, behind: int) -> QuoteCheck | None:
    for found in _found(quote.line, passage.line, passage.offsets_behind(behind)[0]):
        first = passage.place(found + 1)
        if not _leaves_out_sign(quote, passage, first):
            last = first + len(quote.tokens) - 1
            return _verified(QuoteRule.EXACT, passage.span(first, last), "stands word for word" + _denied(passage, first))
    return None


def _found(wanted: str, line: str, begin: int) -> Iterator[int]:
    """Where a text stands in another, at most ``MOST_PLACES``: keeps hostile repetition linear."""
    found = line.find(wanted, begin)
    for _ in range(MOST_PLACES):
        if found < 0:
            return
        yield found
        found = line.find(wanted, found + 1)


def _leaves_out_sign(quote: Transcript, passage: Transcript, first: int) -> bool:
    """Whether the quote begins with a figure whose sign stands before the window: 5 for −5."""
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
        return QuoteCheck(QuoteRule.ABSENT, 0.0, None, f"no word of ‘{_clip(quote.text)}’ stands in the source")
    window = passage.span(nearest.first, nearest.last)
    similarity = round(nearest.similarity, 4)
    change = next((each for each in nearest.differences if not _is_slip(each, quote, passage)), None)
    if change is None:
        return _same_words(quote, passage, nearest, behind)
    if similarity < LEAST_SIMILARITY:
        trace = f"the source has nothing nearer than ‘{_clip(passage.text[window[0] : window[1]])}’ (similarity {similarity:.2f})"
        return QuoteCheck(QuoteRule.ABSENT, similarity, window, trace)
    worst = _gravest(nearest, quote, passage)
    return QuoteCheck(_rule_of(worst, quote, passage), similarity, window, _told(worst, quote, passage))


def _same_words(quote: Transcript, passage: Transcript, nearest: Alignment, behind: int) -> QuoteCheck:
    """No word is another one: verified but for slips of spelling, if the sign of a figure and the order of parts are right too."""
    window = passage.span(nearest.first, nearest.last)
    similarity = round(nearest.similarity, 4)
    if _leaves_out_sign(quote, passage, nearest.first):
        sign = passage.written(nearest.first - 1)
        return QuoteCheck(QuoteRule.ALTERED_FIGURE, similarity, window, f"the quote leaves out ‘{sign}’ before ‘{quote.written(0)}’")
    if window[0] < behind:
        return QuoteCheck(QuoteRule.ABSENT, similarity, window, f"‘{_clip(quote.text)}’ stands only before the part ahead of it")
    slips = ", ".join(f"‘{passage.written(each.source)}’" for each in nearest.differences)
    return QuoteCheck(QuoteRule.SLIP, similarity, window, f"stands at {_at(window)} but for the spelling of {slips}")


def _is_slip(difference: Difference, quote: Transcript, passage: Transcript) -> bool:
    if difference.quoted < 0 or difference.source < 0:
        return False
    return is_same_word(quote.tokens[difference.quoted], passage.tokens[difference.source])


_BY_GRAVITY = (QuoteRule.ALTERED_FIGURE, QuoteRule.ALTERED_NEGATION, QuoteRule.ALTERED_NAME, QuoteRule.ALTERED_WORD)


def _gravest(nearest: Alignment, quote: Transcript, passage: Transcript) -> Difference:
    changes = [each for each in nearest.differences if not _is_slip(each, quote, passage)]
    return min(changes, key=lambda each: _BY_GRAVITY.index(_rule_of(each, quote, passage)))


def _rule_of(difference: Difference, quote: Transcript, passage: Transcript) -> QuoteRule:
    sides = [(text, place) for text, place in ((quote, difference.quoted), (passage, difference.source)) if place >= 0]
    tokens = [text.tokens[place] for text, place in sides]
    if any(not token.isalpha() or token in NUMBER_WORDS for token in tokens):
        return QuoteRule.ALTERED_FIGURE
    if any(token in _NEGATIONS for token in tokens):
        return QuoteRule.ALTERED_NEGATION
    if all(text.written(place)[:1].isupper() for text, place in sides):
        return QuoteRule.ALTERED_NAME
    return QuoteRule.ALTERED_WORD


def _told(difference: Difference, quote: Transcript, passage: Transcript) -> str:
    if difference.source < 0:
        return f"the source does not have ‘{quote.written(difference.quoted)}’ there"
    if difference.quoted < 0:
        return f"the quote leaves out ‘{passage.written(difference.source)}’"
    return f"the source has ‘{passage.written(difference.source)}’ where the quote has ‘{quote.written(difference.quoted)}’"


def _denied(passage: Transcript, first: int) -> str:
    """Says so where the quote was taken from directly behind a negation: verbatim, and yet the opposite."""
    before = passage.tokens[first - 1] if first else ""
    return f", directly behind ‘{passage.written(first - 1)}’" if before in _NEGATIONS else ""


def _tokens_between(passage: Transcript, start: int, end: int) -> list[str]:
    return [token for token, span in zip(passage.tokens, passage.spans, strict=True) if start <= span[0] < end]


def _verified(rule: QuoteRule, window: Span, how: str) -> QuoteCheck:
    return QuoteCheck(rule, 1.0, window, f"{how}, at {_at(window)}")


def _at(window: Span) -> str:
    return f"{window[0]}–{window[1]}"


def _clip(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
