"""The numbered grammar: ``[1]`` is the first document of the context. Years, indices, links, definitions and code are text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from attribution.budget import MOST_POINTERS
from attribution.documents.references import Grammar, Pointer, WrittenCitation
from attribution.documents.removal import merged
from attribution.markers.resolution import code_ranges
from attribution.model import Span, Word
from attribution.text import words

HIGHEST = 99
"""No higher number is read as a citation unless there are so many documents."""

_NUMBER = r"[0-9０-９]{1,4}"
_SPACE = r"[ \t\u00a0]{0,2}"
_LABEL = r"(?:documents?|sources?|docs?\.?|references?|refs?\.?)[ \u00a0](?:no\.? ?|#)?"
_RANGE = rf"(?:{_LABEL})?{_NUMBER}(?:{_SPACE}[-‐‑–—−~～]{_SPACE}(?:{_LABEL})?{_NUMBER})?"
_SEPARATOR = rf"(?:{_SPACE}[,;，、；]{_SPACE}(?:and |& )?| (?:and|&) )"
_BODY = rf"{_SPACE}({_RANGE}(?:{_SEPARATOR}{_RANGE}){{0,39}}){_SPACE}"
_BRACKET = re.compile(rf"\[{_BODY}\]|［{_BODY}］|【{_BODY}】", re.IGNORECASE)
_PART = re.compile(rf"({_NUMBER})(?:{_SPACE}[-‐‑–—−~～]{_SPACE}(?:{_LABEL})?({_NUMBER}))?", re.IGNORECASE)
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_WESTERN = str.maketrans("０１２３４５６７８９", "0123456789")


class Bracket(NamedTuple):
    """Numbers in brackets: where they stand, the parts from first to last, and whether they can be places of documents at all.

    ``is_labelled`` says that the word for a source stands with them: they count no lines.
    """

    raw: Span
    parts: tuple[tuple[int, int], ...]
    is_plausible: bool
    is_labelled: bool = False

    @property
    def is_single(self) -> bool:
        """True if it holds one number only."""
        return len(self.parts) == 1 and self.parts[0][0] == self.parts[0][1]

    @property
    def numbers(self) -> list[int]:
        """Return all the numbers it names, ranges counted out, in the order written."""
        return [number for first, last in self.parts for number in range(first, last + 1)]


def find_brackets(text: str, count: int) -> Iterator[Bracket]:
    """The numbers in brackets of ``text``, left to right, for an answer that was given ``count`` documents."""
    highest = max(HIGHEST, count)
    for match in _BRACKET.finditer(text):
        body = (match[1] or match[2] or match[3]).translate(_WESTERN)
        parts = tuple([(int(part[1]), int(part[2] or part[1])) for part in _PART.finditer(body)])
        is_one_number = _THOUSANDS.fullmatch(body) is not None and max(parts)[1] > count
        is_plausible = not is_one_number and all(1 <= first <= last <= highest for first, last in parts)
        yield Bracket(match.span(), parts, is_plausible, body[:1].isalpha())


_BEHIND = 40
_LONGEST_LINK = 200
_ALWAYS_CODE = words("arr array lst vec args argv dict df nums idx cols str params tuple ptr buf tmp")
_SOMETIMES_CODE = words("list items item data rows row cells index string tokens matrix vector")
_NEVER_CITED = words("array tuple regex regexp subscript")
_LABELS = words(
    "Table Figure Fig Equation Eq Option Step Question Item Room Level Type Grade Stage Class Box Appendix Chapter Section Page Line Row "
    "Column Key"
)
"""Written with a capital, these are called by the number behind them."""
_HOLDS_SEVERAL = words(
    "list range ranges ranging scale set sequence values numbers digits elements interval vector matrix coordinates indices between"
)
"""Several numbers behind these are what they hold, unless a word before makes them something else: a waiting list, a pain scale."""
_PLAIN = words("the a an this that these those each following closed open unit ranging between")
_SIGNS_OF_CODE = frozenset("\\$=^@/<~∈∉≤≥×∪∩⊂±≈")
_FUNCTIONS = words("print len sum max min sorted list set tuple range return str int map filter mean")

_WORD_BEHIND = re.compile(r"(?<![\w$\\.])[\w$\\.]++(?:\(\))?\Z")
_OPENED_CALL_BEHIND = re.compile(r"(?<!\w)(\w++)\(\Z")
_KEY_BEHIND = re.compile(r"[\"']\s?:\s?\Z|\bfor \w{1,20} in \Z")
_METHOD_AHEAD = re.compile(r"\.[a-z_]\w*\(")
_CALL_BEHIND = re.compile(r"\w\([^()\n]{0,30}\)\Z")
_WORD_AND_SPACE_BEHIND = re.compile(r"(?<![^\W\d_])(?:([^\W\d_]++) )?([^\W\d_]++)( of| from)?[ \u00a0]\Z")
_PRESSED_BEHIND = re.compile(
    r"(?:\b(?:Press|Dial|Type|Enter|Choose|Select)|(?:[,;:]|\b(?:to|can|then|or|and|please|must|should|simply|just)) "
    r"(?:press|dial|type|enter|choose|select)) \Z"
)
"""A key, not a citation."""
_FORMULA_BEHIND = re.compile(r"[=∈∉≤≥×·∙∪∩⊂±≈][ \u00a0]\Z")
_VARIABLE = re.compile(r"[a-z]\d?|[a-z]{2,}[A-Z][a-z]\w*|\$\w*|\\\w*")
_LINK_AHEAD = re.compile(
    r"\(\s{0,3}(?:<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,2000})?)(?:\s+[\"'(][^\n]{0,200})?\s{0,3}\)"
)
_CODE_AHEAD = re.compile(r"\s?(?::=|[-+*/|&]=|={1,3})|[0-9{%°$]|(?:st|nd|rd|th)\b|-[a-z]|/\d|\.[a-z_]\w*(?:\(|\b)|['\"]?\s?=>")
_UNIT_AHEAD = re.compile(
    r" (?:mg|mcg|µg|g|kg|ml|mL|cm|mm|km|mmHg|hours?|hrs?|days?|weeks?|months?|years?|minutes?|mins?|stars?|percent|per cent|points?)\b"
)
_REFERENCE_AHEAD = re.compile(r"\[([^\[\]\n]{1,80})\]")
_REFERENCE_BEHIND = re.compile(r"\[[^\[\]\n]{1,200}\]\Z")


class Reading(Word):
    """How numbers in brackets are read. ``unsure`` ones are read as those around them are written."""

    CITATION = "citation"
    TEXT = "text"
    UNSURE = "unsure"


def read(text: str, bracket: Bracket, definitions: Collection[str], was_text: bool) -> Reading:  # noqa: FBT001 - about the one before
    """Return how ``bracket`` reads where it stands.

    ``definitions`` are the labels of Markdown link definitions in the answer; ``was_text`` says that numbers in brackets stand
    directly before, and that they are no citation.
    """
    start, end = bracket.raw
    if not bracket.is_plausible or _is_followed_by_code(text, bracket, definitions):
        return Reading.TEXT
    behind = text[max(0, start - _BEHIND) : start]
    if not behind or behind[-1].isspace():
        return Reading.TEXT if _follows_noun_or_formula(behind, bracket) or _is_measure(text, bracket) else Reading.CITATION
    last = behind[-1]
    if last in _SIGNS_OF_CODE or (last == "!" and text[end : end + 1] in ("(", "[")) or (last == ":" and not bracket.is_single):
        return Reading.TEXT
    if last == "]":
        return Reading.TEXT if was_text or _is_reference_link(text, bracket, definitions) else Reading.CITATION
    if last == "(" and _is_argument(behind, bracket):
        return Reading.TEXT
    return _read_attached(behind)


def _is_argument(behind: str, bracket: Bracket) -> bool:
    """``print([1])``: prose sets a space before round brackets."""
    called = _OPENED_CALL_BEHIND.search(behind)
    return called is not None and (not bracket.is_single or called[1] in _FUNCTIONS)


def _read_attached(behind: str) -> Reading:
    """Read brackets that follow a word without a space: an index behind a variable, a citation behind a word of prose."""
    found = _WORD_BEHIND.search(behind)
    if _CALL_BEHIND.search(behind):
        return Reading.TEXT
    if found is None:
        return Reading.CITATION
    word = found[0].rstrip(".")
    if "_" in word.strip("_") or _VARIABLE.fullmatch(word) or word.endswith("()"):
        return Reading.TEXT
    last = word.rpartition(".")[2].lower() if "." in word else word
    if last in _ALWAYS_CODE or ("." in word and last in _SOMETIMES_CODE):
        return Reading.TEXT
    return Reading.UNSURE if last in _SOMETIMES_CODE else Reading.CITATION


def _is_followed_by_code(text: str, bracket: Bracket, definitions: Collection[str]) -> bool:
    end = bracket.raw[1]
    ahead = text[end : end + 1]
    if ahead == "(":
        return _LINK_AHEAD.match(text, end) is not None
    if ahead == "]" and text[end + 1 : end + 2] == "(":
        return _LINK_AHEAD.match(text, end + 1) is not None
    if ahead == "[":
        label = _REFERENCE_AHEAD.match(text, end)
        return label is not None and not label[1].strip().isdigit() and label[1] in definitions
    if ahead == ".":
        is_attached = bracket.raw[0] > 0 and not text[bracket.raw[0] - 1].isspace()
        return _METHOD_AHEAD.match(text, end) is not None or (is_attached and _CODE_AHEAD.match(text, end) is not None)
    return _CODE_AHEAD.match(text, end) is not None


def _follows_noun_or_formula(behind: str, bracket: Bracket) -> bool:
    """Return True if what is named before is no statement: an array, a table by its number, for several numbers a scale or a list."""
    if _FORMULA_BEHIND.search(behind) or _KEY_BEHIND.search(behind):
        return True
    found = _WORD_AND_SPACE_BEHIND.search(behind)
    if found is None:
        return False
    before, noun, of = found.groups()
    if bracket.is_single:
        return noun in _LABELS or noun.lower() in _NEVER_CITED or _PRESSED_BEHIND.search(behind) is not None
    is_plain = before is None or before.lower() in _PLAIN or of is not None or noun.lower() in _PLAIN
    return noun.lower() in _NEVER_CITED or (is_plain and noun.lower() in _HOLDS_SEVERAL)


def _is_measure(text: str, bracket: Bracket) -> bool:
    """An amount that was put in brackets: ``every [4] hours``."""
    return len(bracket.parts) == 1 and _UNIT_AHEAD.match(text, bracket.raw[1]) is not None


def _is_reference_link(text: str, bracket: Bracket, definitions: Collection[str]) -> bool:
    """``[the leaflet][1]`` where the answer defines what 1 links to."""
    start, end = bracket.raw
    behind = text[max(0, start - _LONGEST_LINK) : start]
    return text[start + 1 : end - 1] in definitions and _REFERENCE_BEHIND.search(behind) is not None


_DEFINITION = re.compile(r"^[ \t]{0,3}\[(\^?[^\[\]\n]{1,80})\]:", re.MULTILINE)
_MATRIX = re.compile(r"\[\s{0,9}\[[0-9,.;\s–-]{1,200}\](?:\s{0,9},\s{0,9}\[[0-9,.;\s–-]{1,200}\])+\s{0,9}\]")
_ONLY_NUMBERS_ALONE = re.compile(r"[\[\],\s]*(?:\[\d{1,2}\][\[\],\s]*)+")
_DASHES = ("-", "‐", "‑", "–", "—")
"""``[1]–[3]`` is a range as well."""
_LINE_START = re.compile(r"[ \t]{0,9}(?:[-*+•>][ \t]{1,4}){0,2}(?:\*\*|__)?\Z")
_NEW_SENTENCE = re.compile(r"(?:\*\*|__)?[ \t:.–—-]*[\"'“‘(*_]*[A-Z0-9]")


def read_numbered(text: str, count: int) -> list[WrittenCitation]:
    """The numbered citations of an answer that was given ``count`` documents, in their order.

    No more are made than point to ``MOST_POINTERS`` documents together, and one that is beyond that.
    """
    brackets = list(find_brackets(text, count)) if any(sign in text for sign in "[［【") else []
    if not brackets:
        return []
    readings = _readings(text, brackets)
    accepted = [bracket for bracket, reading in zip(brackets, readings, strict=True) if reading is Reading.CITATION]
    kept = _without_enumeration(text, accepted)
    made: list[WrittenCitation] = []
    pointers = 0
    for before, bracket in zip([None, *kept], kept, strict=False):
        if pointers > MOST_POINTERS:
            break
        made.append(_citation(text, bracket, before))
        pointers += len(made[-1].pointers)
    return made


def _citation(text: str, bracket: Bracket, before: Bracket | None) -> WrittenCitation:
    numbers = bracket.numbers
    if before is not None and bracket.is_single and before.is_single and text[before.raw[1] : bracket.raw[0]] in _DASHES:
        numbers = list(range(before.parts[0][0] + 1, numbers[0])) + numbers
    pointers = tuple([Pointer(str(number), number) for number in numbers])
    return WrittenCitation(Grammar.NUMBERED, text[slice(*bracket.raw)], pointers, bracket.raw)


def _readings(text: str, brackets: Sequence[Bracket]) -> list[Reading]:
    """Return how each reads; where it cannot be told by the place alone, it reads as the others of the answer are written."""
    outside = NotProse(text)
    definitions = frozenset(_DEFINITION.findall(text)) if "]:" in text else frozenset()
    readings: list[Reading] = []
    before: Span = (-1, -1)
    for bracket in brackets:
        was_text = bool(readings) and before[1] == bracket.raw[0] and readings[-1] is Reading.TEXT
        readings.append(Reading.TEXT if outside.hold(bracket.raw[0]) else read(text, bracket, definitions, was_text))
        before = bracket.raw
    if Reading.UNSURE not in readings:
        return readings
    decided = Reading.TEXT if _stand_after_spaces(text, brackets, readings) else Reading.CITATION
    return [decided if reading is Reading.UNSURE else reading for reading in readings]


def _stand_after_spaces(text: str, brackets: Sequence[Bracket], readings: Sequence[Reading]) -> bool:
    """Return True if the answer's sure citations are set off by a space."""
    starts = [bracket.raw[0] for bracket, reading in zip(brackets, readings, strict=True) if reading is Reading.CITATION]
    return any(start and text[start - 1] == " " for start in starts)


class NotProse:
    """The places where brackets are never citations: code, tags, definitions of links and footnotes, rows of numbers."""

    def __init__(self, text: str) -> None:
        parts = code_ranges(text)
        if "]:" in text:
            parts += [match.span() for match in _DEFINITION.finditer(text)]
        if "[[" in text or "[ [" in text:
            parts += [match.span() for match in _MATRIX.finditer(text) if not _ONLY_NUMBERS_ALONE.fullmatch(match[0])]
        self._parts = merged(parts)
        self._starts = [start for start, _ in self._parts]

    def hold(self, offset: int) -> bool:
        """Return True if an offset is in such a part."""
        before = bisect_right(self._starts, offset) - 1
        return before >= 0 and offset < self._parts[before][1]


def _without_enumeration(text: str, brackets: Sequence[Bracket]) -> list[Bracket]:
    """Leaves out numbers that count lines: ``[1] Call the clinic``, ``[2] Ask for an appointment``."""
    counting = [bracket for bracket in brackets if _begins_line(text, bracket)]
    if len(counting) < 2 or [each.parts[0][0] for each in counting] != list(range(1, len(counting) + 1)):
        return list(brackets)
    left_out = {bracket.raw for bracket in counting}
    return [bracket for bracket in brackets if bracket.raw not in left_out]


def _begins_line(text: str, bracket: Bracket) -> bool:
    start, end = bracket.raw
    line = text.rfind("\n", max(0, start - 24), start) + 1
    if bracket.is_labelled or not bracket.is_single or (line == 0 and start > 24) or _LINE_START.fullmatch(text[line:start]) is None:
        return False
    return _NEW_SENTENCE.match(text, end) is not None


_LONGEST = 512
_SHOWN = 40
_MOST_REPORTED = 100
_KEYED = re.compile(rf"\[\s?citation\s?:([^\[\]\n]{{1,{_LONGEST}}})\]", re.IGNORECASE)
_BEGUN = re.compile(r"\[\s?citation\s?:", re.IGNORECASE)
_ANOTHER = re.compile(r"\s?[,;]\s?citation\s?:", re.IGNORECASE)


class KeyedCitations(NamedTuple):
    """The citations of an answer in their order, and the beginnings of those that were not written to the end."""

    citations: list[WrittenCitation]
    malformed: list[str]


def read_keyed(text: str) -> KeyedCitations:
    """The keyed citations of an answer; those in code are text. What only begins like one stays in the text and is reported."""
    begun = [match.start() for match in _BEGUN.finditer(text)]
    if not begun:
        return KeyedCitations([], [])
    outside = NotProse(text)
    found = [match for match in _KEYED.finditer(text) if not outside.hold(match.start())]
    whole = {match.start() for match in found}
    cut = [start for start in begun if start not in whole and not outside.hold(start)]
    return KeyedCitations(
        [WrittenCitation(Grammar.KEYED, match[0], tuple(map(_pointer, _ANOTHER.split(match[1]))), match.span()) for match in found],
        [
            f"‘{' '.join(text[start : start + _SHOWN].split())}’ begins a citation that is not written to the end"
            for start in cut[:_MOST_REPORTED]
        ],
    )


def _pointer(written: str) -> Pointer:
    source, _, chunk = written.partition(":")
    return Pointer(written.strip(), source=source.strip(), chunk=chunk.strip())
