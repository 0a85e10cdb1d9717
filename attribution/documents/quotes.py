"""Whether a quote stands in the passage it is said to be from.

A quote is refused for one changed word, however like the rest may be: case, spacing, punctuation, ellipses and slips of spelling pass,
a changed figure, name, negation or other word does not, nor does a negation that is left out before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from attribution.documents.changes import DENIALS
from attribution.documents.denials import denial_before
from attribution.documents.quote_check import QuoteCheck, QuoteRule, at, clip
from attribution.documents.quote_search import find_part
from attribution.documents.transcript import Transcript
from attribution.model import Span

_ELLIPSIS = re.compile(r"(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,})")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_MOST_PARTS = 12
_MOST_PLACES = 8
"""So many places of a quote are looked at for one where nothing before it denies it."""
_LONGEST_GAP = 100
"""So many words an ellipsis may stand for: more is a leap to another place."""


def check_quote(quote: str, passage: str) -> QuoteCheck:
    """Look for a quote in a passage; for one with ellipses, for its parts in their order."""
    return check_quote_in(quote, Transcript(passage))


def check_quote_in(quote: str, passage: Transcript) -> QuoteCheck:
    """The same for a passage that is asked more than once."""
    whole = Transcript(quote)
    if not whole.tokens:
        return QuoteCheck(QuoteRule.EMPTY, 0.0, None, "the quote has no words")
    parts = [part for part in map(Transcript, _ELLIPSIS.split(quote, _MOST_PARTS)) if part.tokens]
    behind, denied = 0, None
    for _ in range(_MOST_PLACES):
        check = _check_parts(parts, passage, behind) if len(parts) > 1 else find_part(whole, passage, behind)
        if not check.is_verified or check.window is None:
            return denied or check
        denial = denial_before(passage.text, check.window[0], quote)
        if not denial:
            return check
        trace = f"the quote leaves out ‘{denial}’, which stands before it at {at(check.window)}"
        denied = denied or QuoteCheck(QuoteRule.ALTERED_NEGATION, check.similarity, check.window, trace)
        behind = check.window[0] + 1
    return denied or QuoteCheck(QuoteRule.ABSENT, 0.0, None, "it was looked for in too many places")


def _check_parts(parts: list[Transcript], passage: Transcript, behind: int) -> QuoteCheck:
    """Each part behind the one before. Nothing that was left out may deny what is left."""
    checks: list[QuoteCheck] = []
    for part in parts:
        check = find_part(part, passage, behind)
        if not check.is_verified or check.window is None:
            return check
        gap = passage.tokens_between(behind, check.window[0]) if checks else []
        if len(gap) > _LONGEST_GAP:
            trace = f"the ellipsis before ‘{clip(part.text)}’ leaves out {len(gap)} words"
            return QuoteCheck(QuoteRule.ABSENT, check.similarity, check.window, trace)
        if denial := _denial_left_out(passage, behind, check.window[0]) if checks else "":
            trace = f"the ellipsis before ‘{clip(part.text)}’ leaves out ‘{denial}’"
            return QuoteCheck(QuoteRule.ALTERED_NEGATION, check.similarity, check.window, trace)
        behind = check.window[1]
        checks.append(check)
    window = (checks[0].window or (0, 0))[0], behind
    similarity = min(check.similarity for check in checks)
    return QuoteCheck(QuoteRule.ELLIPSIS, similarity, window, f"its {len(parts)} parts stand in this order at {at(window)}")


def _denial_left_out(passage: Transcript, start: int, end: int) -> str:
    """A word that denies, left out of a sentence of which a part is quoted; whole sentences may be left out."""
    left_out = _SENTENCE_END.split(passage.text[start:end])
    kept = [left_out[0], left_out[-1]] if len(left_out) > 1 else left_out
    return next((token for piece in kept for token in Transcript(piece).tokens if token in DENIALS), "")


@dataclass(frozen=True, slots=True)
class SpanCheck:
    """Whether a span given as a quote's place holds: it lies inside the passage, and the quote, if there is one, stands there."""

    is_verified: bool
    trace: str


def check_span(span: Span, passage: str, quote: str | None = None) -> SpanCheck:
    """Check a span of code points, half-open. The text there equals the quote but for case and spacing."""
    start, end = span
    if not 0 <= start < end <= len(passage):
        return SpanCheck(is_verified=False, trace=f"{at(span)} is not inside the source, which has {len(passage)} characters")
    written = passage[start:end]
    if quote is not None and _folded(written) != _folded(quote):
        return SpanCheck(is_verified=False, trace=f"at {at(span)} the source has ‘{clip(written)}’, not ‘{clip(quote)}’")
    return SpanCheck(is_verified=True, trace=f"stands at {at(span)}" if quote else f"{at(span)} is inside the source")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
