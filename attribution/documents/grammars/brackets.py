"""Numbers in brackets: ``[1]``, ``[1, 2]``, ``[1-3]``, ``[Source 1]``, and whether a careful reader takes them for a citation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from attribution.model import Span, Word
from attribution.word_classes import words

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
        """All the numbers it stands for, ranges counted out, in the order written."""
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
    """Of brackets that follow a word without a space: an index behind a variable, a citation behind a word of prose."""
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
