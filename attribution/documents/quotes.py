"""Check that a quote is in the passage it is said to be from.

A quote is refused for one changed word, however like the rest may be: case, spacing, punctuation, ellipses and slips of spelling pass,
a changed figure, name, negation or other word does not, nor does a negation that is left out before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attribution.documents.differences import DENIALS, LEAST_SIMILARITY, Alignment, QuoteCheck, QuoteRule, align, at, clip, gravest_change
from attribution.documents.transcript import SIGNS, Transcript
from attribution.figures import MOST_PLACES
from attribution.model import Span
from attribution.text import words

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
    """Return where a text is in another, at most ``MOST_PLACES``: keeps hostile repetition linear."""
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


_FARTHEST = 300
_FARTHEST_WORDS = 20
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[,;:]|\d+")
_SENTENCE = re.compile(r"[.!?…](?=[\s\"”’)\]])|\n|[;]")
_ITEM = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]+")
_ALSO_DENY = words("""
    avoid avoids avoided avoiding refrain refrains unlikely false untrue incorrect myth hardly scarcely nobody nothing nowhere
    fail fails failed forbidden prohibited
""")
_NO_DENIAL = words("only just merely simply solely doubt wonder more less fewer later earlier sooner longer least matter")
""""Not only", "no doubt", "no more than": nothing is denied."""
_KEEPS = words("longer")
_ENDS_SCOPE = words("""
    but however although though because since if when whenever unless until whereas while instead rather then so therefore yet
""")
_NEW_PREDICATE = words("is are was were be has have had should must may might can could will would shall do does did")
_OF_SUBJECTS = words("no none neither nor nobody nothing")
"""These deny the verb behind what they stand with: no patient should."""


def denial_before(text: str, start: int, quote: str) -> str:
    """Return the word that denies what stands at ``start`` in its sentence; empty where nothing before it does."""
    before = text[max(0, start - _FARTHEST) : start]
    sentence = _SENTENCE.split(before)[-1]
    return _denial_in(sentence, quote) or _of_list(before, sentence, quote)


def _of_list(before: str, sentence: str, quote: str) -> str:
    """Return the same of the line above a list: ``Do not:`` and items below it."""
    if not _ITEM.match(sentence):
        return ""
    for line in reversed(before[: len(before) - len(sentence)].rstrip("\n").split("\n")):
        if not _ITEM.match(line):
            return _denial_in(line.rstrip()[:-1], quote) if line.rstrip().endswith(":") else ""
    return ""


def _denial_in(sentence: str, quote: str) -> str:
    found = [match.group() for match in _WORD.finditer(sentence)][-_FARTHEST_WORDS:]
    first = next((match.group().lower() for match in _WORD.finditer(quote)), "")
    for place in range(len(found) - 1, -1, -1):
        if _denies(found, place, first) and _reaches(found[place].lower(), [word.lower() for word in found[place + 1 :]], first):
            return found[place]
    return ""


def _denies(found: list[str], place: int, first: str) -> bool:
    word = found[place].lower().replace("’", "'")
    if not (word.replace("'", "") in DENIALS or word in _ALSO_DENY or word.endswith("n't")):
        return False
    behind = found[place + 1].lower() if place + 1 < len(found) else first
    return behind not in _NO_DENIAL or (behind in _KEEPS and "than" not in map(str.lower, found[place + 1 : place + 3]))


def _reaches(denial: str, between: list[str], first: str) -> bool:
    """Return True if a denial still holds at the quote: no new clause begins between the two."""
    if not _ENDS_SCOPE.isdisjoint(between) or ";" in between or ":" in between:
        return False
    commas = [place for place, word in enumerate(between) if word == ","]
    is_aside = len(commas) > 1 and commas[0] <= 1
    is_listed = bool(commas) and not {"or", "nor"}.isdisjoint([*between[commas[-1] :][:2], first])
    if commas and not is_aside and not is_listed:
        return False
    if "that" in between or denial in _OF_SUBJECTS:
        return True
    return _NEW_PREDICATE.isdisjoint([*between[1:], *([first] if between else [])])


_ELLIPSIS = re.compile(r"(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,})")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_MOST_PARTS = 12
_MOST_PLACES = 8
"""The most places of a quote searched for one where nothing before it denies it."""
_LONGEST_GAP = 100
"""The most words that an ellipsis may replace: more is a leap to another place."""


def check_quote(quote: str, passage: str) -> QuoteCheck:
    """Look for a quote in a passage; for one with ellipses, for its parts in their order."""
    return check_quote_in(quote, Transcript(passage))


def check_quote_in(quote: str, passage: Transcript) -> QuoteCheck:
    """Like ``check_quote``, for a passage that is read already."""
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
    """Check the span that is given as a quote's place: it lies inside the passage, and the quote, if there is one, is there."""

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
