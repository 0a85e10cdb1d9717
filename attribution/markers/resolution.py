"""Resolve markers: the field that each cites, its status, whether it is in a quotation, and the clause before it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from attribution.answer import Answer
from attribution.markers.grammar import LONGEST_MARKER, WrittenMarker, find_markers
from attribution.model import Field, FieldType, MarkerStatus, Span
from attribution.remembering import remembered
from attribution.schema.registry import Registry, Section

# The clause a marker stands behind: what the model says it took from the field.

_FARTHEST = 400
_FEWEST_WORDS = 3
_ENDING = ".!?,:; \n\t\r"


def claim_before(answer: Answer, position: int, floor: int) -> Span | None:
    """The clause that ends at ``position``, not reaching back over ``floor``, where the marker before stands.

    The marker may follow the full stop. A clause of one or two words is taken with the one before it, within the sentence.
    """
    text, ends = answer.text, answer.clause_ends
    earliest = max(0, position - _FARTHEST)
    end = earliest + len(text[earliest:position].rstrip(_ENDING))
    if end <= earliest:
        return None
    earliest = max(earliest, floor if floor < end else 0)
    last_word = bisect_left(answer.starts, end)
    clause = bisect_right(ends, end - 1)
    start = max(earliest, ends[clause - 1] if clause else 0)
    while start > earliest and last_word - bisect_left(answer.starts, start) < _FEWEST_WORDS and text[start - 1] in ",:–—-":
        clause -= 1
        start = max(earliest, ends[clause - 1] if clause else 0)
    start = end - len(text[start:end].lstrip())
    return (start, end) if start < end else None


# Gives every marker its status: which field it means, and why it does not count where it does not.

Verdict = tuple[MarkerStatus, Field | None, str]
"""A status, the field meant if one is, and why the marker does not count."""

_MOST_LISTED = 4


_lower = remembered(str.lower)


class FieldIndex:
    """Looks the fields that ``markers`` may mean up by section and dotted path or last name, in lower case."""

    def __init__(self, fields: Sequence[Field], markers: Iterable[WrittenMarker]) -> None:
        self._fields = fields
        self._by_leaf: dict[tuple[str, str], list[Field]] = {}
        self._by_path: dict[tuple[str, str], list[Field]] = {}
        wanted = {marker[1][1].rpartition(".")[2] for marker in markers}
        for field in fields:
            leaf = _lower(field[2])
            if leaf in wanted:
                self._by_leaf.setdefault((field.section, leaf), []).append(field)
                self._by_path.setdefault((field.section, field.path.lower()), []).append(field)

    def find(self, section: str, name: str) -> list[Field]:
        """The field of this path, else all fields of this last name."""
        return self._by_path.get((section, name)) or self._by_leaf.get((section, name), [])

    def find_below(self, section: str, name: str) -> list[str]:
        """The paths of the first fields that stand below an object or a list of objects of this path or last name."""
        return self._below.get((section, name), [])

    @cached_property
    def _below(self) -> dict[tuple[str, str], list[str]]:
        """By section and beginning of a path. Only for markers that mean no field; no beginning is longer than a marker."""
        table: dict[tuple[str, str], list[str]] = {}
        for field in self._fields:
            section, path, _, kind, _, _ = field
            if "." not in path or kind is FieldType.EMPTY:
                continue
            lowered = path.lower()
            dot = lowered.find(".", 0, LONGEST_MARKER)
            while dot >= 0:
                for name in {lowered[:dot], lowered[:dot].rpartition(".")[2]}:
                    below = table.setdefault((section, name), [])
                    if len(below) <= _MOST_LISTED:
                        below.append(path if len(path) <= LONGEST_MARKER else path[:LONGEST_MARKER] + "…")
                dot = lowered.find(".", dot + 1, LONGEST_MARKER)
        return table


def given_markers(fields: Sequence[Field], others: Sequence[Any]) -> frozenset[tuple[str, str]]:
    """The markers that are in what the model was given: context values, the user's text, documents. Not in what was withheld."""
    texts = _texts_with_brackets([*[field[4] for field in fields if not field[5]], *others])
    return frozenset([marker.key for text in texts for marker in find_markers(text)])


def resolve(
    marker: WrittenMarker, fields: FieldIndex, registry: Registry, hidden: Collection[str], given: Collection[tuple[str, str]]
) -> Verdict:
    """The status of a well-formed marker outside quotations; ``duplicate`` is for the caller, who sees the others."""
    if marker.key in given:
        return MarkerStatus.ECHOED, None, "the same marker stands in the user's text, the context or a document"
    prefix, name = marker.key
    section = registry.by_prefix.get(prefix)
    if section is None:
        return MarkerStatus.UNKNOWN, None, f"no section has the prefix {prefix}"
    if section.name in hidden:
        return MarkerStatus.HIDDEN, None, f"{section.name} was withheld from the prompt"
    if registry.is_closed and not _knows(section, name):
        return MarkerStatus.UNKNOWN, None, f"the schema has no field {name} in {section.name}"
    candidates = fields.find(section.name, name)
    return _resolve_name(name, section, candidates) if candidates else _without_field(name, section, fields.find_below(section.name, name))


def _knows(section: Section, name: str) -> bool:
    """Return True if a section's schema has a field of this name; one in a list of lists is told by the name before its number."""
    return next((part for part in reversed(name.split(".")) if not part.isdigit()), name) in section.fields


def _resolve_name(name: str, section: Section, candidates: Sequence[Field]) -> Verdict:
    if len(candidates) > 1:
        paths = ", ".join(field.path for field in candidates[:_MOST_LISTED])
        return MarkerStatus.AMBIGUOUS, None, f"{len(candidates)} fields of {section.name} are called {name}: {paths}"
    if candidates[0].type is not FieldType.EMPTY:
        return MarkerStatus.RESOLVED, candidates[0], ""
    return MarkerStatus.ABSENT, None, f"{section.name}.{candidates[0].path} is empty in this snapshot"


def _without_field(name: str, section: Section, below: Sequence[str]) -> Verdict:
    if below:
        more = ", …" if len(below) > _MOST_LISTED else ""
        return MarkerStatus.AMBIGUOUS, None, f"{name} is no single field; cite one of its fields: {', '.join(below[:_MOST_LISTED])}{more}"
    if _knows(section, name):
        return MarkerStatus.ABSENT, None, f"{section.name} can have {name}, this snapshot does not"
    return MarkerStatus.UNKNOWN, None, f"{section.name} has no field {name}"


def _texts_with_brackets(values: list[Any]) -> list[str]:
    """The texts inside any JSON values that may hold a marker. One sign is looked for: two are not found as fast."""
    found: list[str] = []
    for value in values:
        kind = type(value)
        if kind is str:
            if "[" in value:
                found.append(value)
        elif kind is list:
            values += value
        elif kind is dict:
            values += value.values()
    return found


# Find the quotations of an answer: code, block quotations, quotation marks, HTML tags. A marker in there is shown, not counted.

_LIST_ITEM = r"[ \t]{0,24}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?"
_FENCE = re.compile(rf"{_LIST_ITEM}(`{{3,}}|~{{3,}})(.*)")
_BLOCK_QUOTE = re.compile(rf"{_LIST_ITEM}>")
_BACKTICKS = re.compile(r"`+")
_CURLY = re.compile(r"“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]")
_STRAIGHT = re.compile(r'(?<![^\s(\[])"(?=\S)[^"\n]*"')
_TAG = re.compile(r"<[A-Za-z/!][^<>\n]*>")
_SIGNS = '`~>"“«„'


class Quotations:
    """The quoted parts of an answer; false where it has none.

    ``_starts`` is where parts begin, ``_ends`` how far the parts up to there reach.
    """

    def __init__(self, response: str) -> None:
        ranges = sorted(quoted_ranges(response))
        self._starts = [span[0] for span in ranges]
        self._ends = list(accumulate([span[1] for span in ranges], max))

    def __bool__(self) -> bool:
        return bool(self._starts)

    def hold(self, raw: Span) -> bool:
        """Return True if a range of the raw answer begins inside a quotation."""
        before = bisect_right(self._starts, raw[0]) - 1
        return before >= 0 and raw[0] < self._ends[before]


def quoted_ranges(text: str) -> list[Span]:
    """The quoted parts of ``text``; parts may overlap."""
    if not any([sign in text for sign in _SIGNS]):  # noqa: C419  # a list is made faster than a generator, for eight signs
        return []
    ranges: list[Span] = []
    fence = ""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        after = _fence_after(fence, line)
        if fence or after or _BLOCK_QUOTE.match(line):
            ranges.append((start, end))
        else:
            ranges += [(begin + start, stop + start) for begin, stop in _quoted_in_line(line)]
        fence = after
        start = end
    return ranges


def code_ranges(text: str) -> list[Span]:
    """Fenced code, code in a line, and HTML tags: what is no prose."""
    if not any([sign in text for sign in "`~<"]):  # noqa: C419  # as above
        return []
    ranges: list[Span] = []
    fence = ""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        after = _fence_after(fence, line)
        if fence or after:
            ranges.append((start, end))
        else:
            tags = [match.span() for match in _TAG.finditer(line)]
            ranges += [(begin + start, stop + start) for begin, stop in tags + _inline_code(line)]
        fence = after
        start = end
    return ranges


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open behind a line: a closing one stands alone, an opening one of backticks has none behind it."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    signs, rest = found.groups()
    if fence:
        return "" if signs.startswith(fence) and not rest.strip() else fence
    return signs if signs[0] == "~" or "`" not in rest else ""


def _quoted_in_line(line: str) -> list[Span]:
    spans = [match.span() for pattern in (_CURLY, _STRAIGHT, _TAG) for match in pattern.finditer(line)]
    return spans + _inline_code(line)


def _inline_code(line: str) -> list[Span]:
    """Between two runs of as many backticks; a run without its partner is text."""
    runs = [match.span() for match in _BACKTICKS.finditer(line)]
    next_of_width: dict[int, int] = {}
    closing: dict[int, int] = {}
    for start, end in reversed(runs):
        closing[start] = next_of_width.get(end - start, 0)
        next_of_width[end - start] = end
    spans: list[Span] = []
    reach = 0
    for start, _ in runs:
        if start >= reach and closing[start]:
            reach = closing[start]
            spans.append((start, reach))
    return spans
