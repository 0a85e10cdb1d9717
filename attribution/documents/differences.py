"""The nearest place of a text in a source, the differences there, and how grave they are."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from attribution.documents.transcript import Transcript
from attribution.lexicon.words import NEGATIONS, NUMBER_WORDS
from attribution.model import Span, Word
from attribution.text import words

_BAND = 6
"""How many tokens more or fewer than the quote its window may have at any point."""


class Difference(NamedTuple):
    """A place where quote and source differ: a token of the quote, one of the source, or both; -1 where there is none."""

    quoted: int
    source: int


class Alignment(NamedTuple):
    """The window, by its first and last token, its likeness between 0 and 1 in characters, and the differences from left to right."""

    first: int
    last: int
    similarity: float
    differences: list[Difference]


def align(quote: Transcript, source: Transcript) -> Alignment | None:
    """The window of the source that is most like the quote; nothing where they have no word in common."""
    diagonal = _best_diagonal(quote.tokens, source.places)
    if diagonal is None:
        return None
    begin = max(0, diagonal - _BAND)
    window = source.tokens[begin : max(begin, diagonal + len(quote.tokens) + _BAND)]
    return _aligned(quote.tokens, window, diagonal - begin, begin)


def _best_diagonal(quoted: list[str], places: dict[str, list[int]]) -> int | None:
    """Return how many tokens into the source the quote begins if most of its tokens are to stand where they do; the earliest of several."""
    votes: Counter[int] = Counter()
    for number, token in enumerate(quoted):
        for place in places.get(token, ()):
            votes[place - number] += 1
    if not votes:
        return None
    return min(votes, key=lambda each: (-votes[each] - (votes.get(each - 1, 0) + votes.get(each + 1, 0)) / 2, each))


def _cost(quoted: str, source: str) -> int:
    """Return how many letters differ, but for those that both begin or end with."""
    if quoted == source:
        return 0
    shorter = min(len(quoted), len(source))
    same = 0
    while same < shorter and quoted[same] == source[same]:
        same += 1
    behind = 0
    while behind < shorter - same and quoted[-1 - behind] == source[-1 - behind]:
        behind += 1
    return max(len(quoted), len(source)) - same - behind


class _Row(NamedTuple):
    """After so many tokens of the quote, for each shift from the diagonal: the cheapest cost, and the last step of the way there."""

    costs: list[int]
    steps: list[int]


_NO_WAY, _EXTRA, _BOTH, _LEFT_OUT = range(4)
_FAR = 1 << 60


def _aligned(quoted: list[str], window: list[str], middle: int, begin: int) -> Alignment:
    """The cheapest way to make the quote from the window inside the band, where what stands around the window costs nothing."""
    shifts = range(2 * _BAND + 1)
    row = _Row([0 if 0 <= middle + shift - _BAND <= len(window) else _FAR for shift in shifts], [_NO_WAY for _ in shifts])
    rows = []
    for number, token in enumerate(quoted):
        row = _next_row(row, token, window, number + middle - _BAND)
        rows.append(row)
    shift = min(shifts, key=lambda each: (row.costs[each], abs(each - _BAND)))
    pairs = _walk_back(rows, shift, middle)
    matched = [place for number, place in pairs if number >= 0 <= place] or [0]
    differences = [
        Difference(number, begin + place if place >= 0 else -1)
        for number, place in pairs
        if number < 0 or place < 0 or quoted[number] != window[place]
    ]
    similarity = 1 - row.costs[shift] / (sum(map(len, quoted)) + len(quoted))
    return Alignment(begin + matched[0], begin + matched[-1], max(0.0, similarity), differences)


def _next_row(row: _Row, token: str, window: list[str], offset: int) -> _Row:
    """One token of the quote further: it matches one of the window, is extra, or the quote leaves out one of the window."""
    costs, steps = [_FAR] * len(row.costs), [_NO_WAY] * len(row.costs)
    for shift in range(len(costs)):
        place = offset + shift
        if not -1 <= place < len(window):
            continue
        ways = [(row.costs[shift + 1] + len(token) + 1, _EXTRA)] if shift + 1 < len(costs) else []
        if place >= 0:
            ways.append((row.costs[shift] + _cost(token, window[place]), _BOTH))
            if shift:
                ways.append((costs[shift - 1] + len(window[place]) + 1, _LEFT_OUT))
        costs[shift], steps[shift] = min(ways, default=(_FAR, _NO_WAY))
    return _Row(costs, steps)


def _walk_back(rows: list[_Row], shift: int, middle: int) -> list[tuple[int, int]]:
    """The tokens of quote and window that belong together, in order; -1 where one side has none."""
    pairs = []
    number = len(rows)
    while number:
        place = number - 1 + middle + shift - _BAND
        step = rows[number - 1].steps[shift]
        if step == _LEFT_OUT:
            pairs.append((-1, place))
            shift -= 1
            continue
        pairs.append((number - 1, place if step == _BOTH else -1))
        shift += step == _EXTRA
        number -= 1
    return pairs[::-1]


_FEWEST_LETTERS = 5
"""In shorter words two letters that have changed places make another word as often as not: from, form."""

OTHER_WORDS = words("""
    casual causal marital martial united untied trial trail dairy diary sacred scared silver sliver angel angle quiet quite
    tired tried calvary cavalry bread beard reserve reverse conservation conversation nuclear unclear
    adapter adaptor later latter desert dessert discrete discreet hoping hopping planed planned staring starring filing filling
    bating batting ileum ilium moral morral loose lose
""")
"""Words that a slip of the pen makes of each other, but which are both words: between two of these nothing is a slip."""

_SPELLINGS = (
    ("ae", "e"),
    ("oe", "e"),
    ("our", "or"),
    ("isa", "iza"),
    ("ise", "ize"),
    ("isi", "izi"),
    ("yse", "yze"),
    ("tre", "ter"),
    ("ogue", "og"),
)
"""British and American."""


def is_same_word(quoted: str, source: str) -> bool:
    """Return True if two different tokens are one word with a slip: letters swapped, a letter doubled or not, British or American."""
    if not (quoted.isalpha() and source.isalpha()) or min(len(quoted), len(source)) < _FEWEST_LETTERS:
        return False
    if quoted in OTHER_WORDS and source in OTHER_WORDS:
        return False
    return _is_swap(quoted, source) or _undoubled(quoted) == _undoubled(source) or _american(quoted) == _american(source)


def _is_swap(first: str, second: str) -> bool:
    """Two neighbouring letters have changed places, but not at the beginning, where prefixes differ in no more."""
    if len(first) != len(second):
        return False
    off = [place for place, (one, other) in enumerate(zip(first, second, strict=True)) if one != other]
    return len(off) == 2 and off[0] > 0 and off[1] == off[0] + 1 and first[off[0]] == second[off[1]] and first[off[1]] == second[off[0]]


def _undoubled(word: str) -> str:
    """With every doubled letter written once."""
    return "".join([letter for place, letter in enumerate(word) if not place or letter != word[place - 1]])


def _american(word: str) -> str:
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return word


LEAST_SIMILARITY = 0.85
"""A window that is less like the quote is another text, not an altered quote."""


class QuoteRule(Word):
    """The ways in which a quote is in a passage, or fails to: the first four are verified, the others are not."""

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
    """The result of looking for a quote in a passage.

    ``similarity`` is that of the window most like the quote, between 0 and 1 by characters; ``window`` its span in the passage in code
    points, none where nothing is like it. ``trace`` says in one sentence why the quote is verified or refused.
    """

    rule: QuoteRule
    similarity: float
    window: Span | None
    trace: str

    @property
    def is_verified(self) -> bool:
        """True if the passage has these words."""
        return self.rule in _VERIFIED


def at(window: Span) -> str:
    """A window as traces name it."""
    return f"{window[0]}–{window[1]}"


def clip(text: str, most: int = 80) -> str:
    """A text on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


DENIALS = NEGATIONS | frozenset(("didnt", "doesnt", "wasnt", "werent", "hasnt", "havent", "hadnt", "couldnt", "shouldnt", "wouldnt"))
"""Words that deny, as a transcript has them."""

_BY_GRAVITY = (QuoteRule.ALTERED_FIGURE, QuoteRule.ALTERED_NEGATION, QuoteRule.ALTERED_NAME, QuoteRule.ALTERED_WORD)


def is_slip(difference: Difference, quote: Transcript, passage: Transcript) -> bool:
    """Return True if both sides have one word, spelt otherwise."""
    if difference.quoted < 0 or difference.source < 0:
        return False
    return is_same_word(quote.tokens[difference.quoted], passage.tokens[difference.source])


def gravest_change(nearest: Alignment, quote: Transcript, passage: Transcript) -> tuple[QuoteRule, str] | None:
    """The rule by which a quote is refused for what differs, and that in words; nothing where all are slips."""
    changes = [each for each in nearest.differences if not is_slip(each, quote, passage)]
    if not changes:
        return None
    worst = min(changes, key=lambda each: _BY_GRAVITY.index(_rule_of(each, quote, passage)))
    return _rule_of(worst, quote, passage), _told(worst, quote, passage, "quote")


def _rule_of(difference: Difference, quote: Transcript, passage: Transcript) -> QuoteRule:
    sides = [(text, place) for text, place in ((quote, difference.quoted), (passage, difference.source)) if place >= 0]
    tokens = [text.tokens[place] for text, place in sides]
    if any(not token.isalpha() or token in NUMBER_WORDS for token in tokens):
        return QuoteRule.ALTERED_FIGURE
    if any(token in DENIALS for token in tokens):
        return QuoteRule.ALTERED_NEGATION
    if all(text.written(place)[:1].isupper() and not text.begins_sentence(place) for text, place in sides):
        return QuoteRule.ALTERED_NAME
    return QuoteRule.ALTERED_WORD


_TELLING = re.compile(rf"n['’]t\b|\d+|\b(?:{'|'.join(sorted({*DENIALS, *NUMBER_WORDS}))})\b")


def telling_words(text: str) -> frozenset[str]:
    """Return the denials and figures of a text: where two texts have the same, they cannot contradict each other."""
    return frozenset(_TELLING.findall(text.lower()))


def contradiction(nearest: Alignment, claim: Transcript, passage: Transcript) -> str:
    """Return how a claim that is nearly word for word in a passage says something else there; nothing where it does not.

    That is so where one side denies once more than the other (twice is no denial, and one may write "does not" where the other
    has "doesn't"), or where both have a figure in the same place, but another one.
    """
    denials: list[Difference] = []
    for each in nearest.differences:
        ours = claim.tokens[each.quoted] if each.quoted >= 0 else ""
        theirs = passage.tokens[each.source] if each.source >= 0 else ""
        if _is_figure(ours) and _is_figure(theirs):
            return _told(each, claim, passage, "claim")
        if (ours in DENIALS) is not (theirs in DENIALS):
            denials.append(each)
    return _told(denials[0], claim, passage, "claim") if len(denials) % 2 else ""


def _is_figure(token: str) -> bool:
    return token[:1].isdigit() or token in NUMBER_WORDS


def _told(difference: Difference, quote: Transcript, passage: Transcript, what: str) -> str:
    if difference.source < 0:
        return f"the source does not have ‘{quote.written(difference.quoted)}’ there"
    if difference.quoted < 0:
        return f"the {what} leaves out ‘{passage.written(difference.source)}’"
    return f"the source has ‘{passage.written(difference.source)}’ where the {what} has ‘{quote.written(difference.quoted)}’"
