"""Where in a source a text stands most nearly, and what differs there: one walk along the best diagonal, in linear time."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from attribution.documents.transcript import Transcript

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
    """One token of the quote further: it stands for one of the window, is extra, or the quote leaves out one of the window."""
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
