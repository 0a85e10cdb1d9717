"""An answer without the traces of its markers, for lists and for reviewers who may not know what the model says it used.

The clean text has no well-formed markers, but what stood around them: empty brackets, the comma between two of them, a label before them,
white space. All of this would tell where the model cites something, so it is taken out as well; so are malformed markers, and those in the
part of a very long answer that the engine does not read. The text is then that of the same answer without any markers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from attribution import Attribution, DocumentAttribution, FieldSpans, IssueCode, Marker, MarkerStatus, Span, find_near_misses

_THIN = "\u00a0\u2007\u2009\u200a\u200b\u202f\u2060"
"""White space that joins a marker to the words before it. The engine takes out a usual space itself."""
_GAP = rf"[ \t{_THIN}]*+"
_WRITTEN = re.compile(r" ?\[\[[A-Za-z_]\w{0,63}:[\w.\-\u00aa-\U0010ffff]{1,67}\]\]", re.ASCII)
_WORD = (
    r"(?:based on|according to|(?:as )?(?:noted|stated|recorded|listed|shown|given|documented) in|see(?: also)?|from|per|via|cf\.?|refs?\.?"
    r"|references?|sources?|fields?|citations?|cited)(?: (?:fields?|data|used|cited|record))?"
)
_LABEL = rf"(?:{_WORD}[ \t]*+:?)?[ \t]*+"
_BETWEEN = re.compile(rf"{_GAP}[,;/&|+·]?{_GAP}(?:and|or|y|o|und|et)?[ \t]*+{_LABEL}", re.IGNORECASE)
_NEXT_LINE = re.compile(r"[ \t]*+\n{1,2}[ \t]*+(?:[-*+•>]|\d{1,3}[.)])?[ \t]*+")
_BRACKETS = dict(zip("([{<（［【〔〈《⟨「『", ")]}>）］】〕〉》⟩」』", strict=True))
_OPENS = re.compile(rf"([{re.escape(''.join(_BRACKETS))}]){_GAP}(?:{_LABEL}|[\w ]{{1,30}}:[ \t]*+)\Z", re.IGNORECASE)
_CLOSES = re.compile(rf"{_GAP}[.,;:]?{_GAP}([{re.escape(''.join(_BRACKETS.values()))}])")
_QUOTES = (
    ("**", "**"),
    ("__", "__"),
    ("~~", "~~"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ("~", "~"),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("‹", "›"),
    ("‘", "’"),
    ("‚", "‘"),
    ('"', '"'),
    ("'", "'"),
    ("^", "^"),
)
_TAG_OPENS, _TAG_CLOSES = re.compile(r"<(\w{1,20})(?: [^<>]{0,40})?>[ \t]*+\Z"), re.compile(r"[ \t]*+</(\w{1,20})>")
_COMMENT = (re.compile(r"<!--[ \t]*+\Z"), re.compile(r"[ \t]*+-->"))
_LABELLED = re.compile(rf"{_WORD}[ \t]*+:?[ \t]*+\Z", re.IGNORECASE)
_BULLET = r"[ \t]*+(?:[-*+•>–—·◦▪↳→]|\d{1,3}[.)]|#{1,6})?[ \t]*+"
_BEGINS = re.compile(rf"(?:\A|\n)({_BULLET})((?:[*_]{{1,2}}{_WORD}(?:[*_]{{1,2}}[ \t]*+:|:[*_]{{1,2}})[ \t]*+)|{_LABEL})\Z", re.IGNORECASE)
_HEADING = re.compile(
    rf"(?:\A|\n)((?:[-*_]{{3,}}[ \t]*+\n+)?[ \t]*+#{{0,6}}[ \t]*+[*_]{{0,2}}{_WORD}[*_]{{0,2}}:?[*_]{{0,2}}[ \t]*+\n+)\Z", re.IGNORECASE
)
_AFTER_COMMA = re.compile(rf"{_GAP}[,;:][ \t]*+{_LABEL}\Z", re.IGNORECASE)
_COMMA = re.compile(r"[,;:][ \t]?")
_OPENING = re.compile(r"(?:\A|[\s(\[])(?:\*\*|__|[(\[“„«])\Z")
_DASH = re.compile(r"(?:[ \t]+(?:-{1,2}|[→⇒·•/~=])|[ \t]*+[—–])[ \t]*+\Z")
_ENDS = re.compile(r"[ \t]{0,80}(?=\n|\Z)")
_STOPS = re.compile(r"[.!?]?[ \t]{0,80}(?=\n|\Z)")
_CLAUSE_ENDS = (",", ".", ";", ":", "!", "?", *_BRACKETS.values())
_LINK = re.compile(r"\[[^\[\]\n]{1,200}\]\Z")
_LONGEST_LINK = 202
_MOST_STEPS = 20_000
"""The most marks that are looked at, with the layers of brackets around them: a second, and more than any answer has."""
_LONGEST = 80
"""The most characters before a marker that are looked at."""
_PART_READ = 100_000
"""The most characters of an answer that are read for citations; hardly any answer has more."""


def has_marker(text: str) -> bool:
    """Return True if a well-formed marker stands anywhere in a text."""
    return "[[" in text and _WRITTEN.search(text) is not None


class UnmarkedText:
    """A text without the parts ``removed``, and the places in it of what stood in the whole text."""

    def __init__(self, whole: str, removed: Iterable[Span]) -> None:
        self.removed = _merged(removed)
        self._starts = [start for start, _ in self.removed]
        self._taken = [0]
        kept, begin = [], 0
        for start, end in self.removed:
            kept.append(whole[begin:start])
            self._taken.append(self._taken[-1] + end - start)
            begin = end
        self.text = "".join([*kept, whole[begin:]])
        self._kept_starts = [end - taken for (_, end), taken in zip(self.removed, self._taken[1:], strict=True)]

    def position(self, offset: int) -> int:
        """Return the place of an offset of the whole text; of one in a removed part, the place where that part stood."""
        before = bisect_right(self._starts, offset)
        if before and offset < self.removed[before - 1][1]:
            return self.removed[before - 1][0] - self._taken[before - 1]
        return offset - self._taken[before]

    def whole_span(self, span: Span) -> Span:
        """Return the place in the whole text of a span of this one, which covers what was removed within it but not at its ends."""
        first, last = (self._whole_position(offset) for offset in (span[0], span[1] - 1))
        return first, last + 1

    def _whole_position(self, offset: int) -> int:
        """Return the place in the whole text of the sign at an offset of this one."""
        return offset + self._taken[bisect_right(self._kept_starts, offset)]

    def span(self, span: Span) -> Span:
        """Return the place of a span of the whole text."""
        return self.position(span[0]), self.position(span[1])


def unmark_answer(attribution: Attribution, documents: DocumentAttribution | None) -> UnmarkedText:
    """Return the clean text of an answer without the traces of its markers and, if it has documents, of its citations.

    What the model cites beside the text leaves no traces in it.
    """
    placed = [(each, each.position) for each in attribution.markers if each.position is not None and not each.is_beside]
    if documents is None:
        text, cited = attribution.clean_text, []
    else:
        spans = FieldSpans(documents.raw_text, documents.removed)
        text, cited = documents.clean_text, list(_cited_in(documents))
        placed = [(marker, spans.moved((place, place))[0]) for marker, place in placed]
    return unmark(text, [*(_mark_of(marker, place, text) for marker, place in placed), *cited])


def _cited_in(documents: DocumentAttribution) -> Iterator[Span]:
    """Yield the places of citations in the clean text, and the spans of what was nearly one, which is still there."""
    clean = UnmarkedText(documents.raw_text, documents.removed)
    yield from ((place, place) for place in (clean.position(start) for start, _ in clean.removed))
    told = {each.message for each in documents.issues if each.code is IssueCode.MALFORMED}
    if told:
        known = {name for each in documents.sources for name in (each.id, each.source_id)}
        missed = find_near_misses(documents.raw_text[:_PART_READ], len(documents.sources), known, documents.removed)
        found = (clean.span(each.raw) for each in missed if each.message in told)
        yield from ((start - (documents.clean_text[start - 1 : start] == " "), end) for start, end in found)


def _mark_of(marker: Marker, place: int, text: str) -> Span:
    """Return the span of a marker in the clean text, where malformed ones stand; of any other it is empty."""
    if marker.status is not MarkerStatus.MALFORMED:
        return place, place
    return place - (text[place - 1 : place] == " "), place + len(marker.text)


class _Steps:
    """The marks, and the layers of brackets around them, that are still looked at. Behind very many, only the marks are taken out."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def take(self) -> bool:
        """Take a step; return False if none is left."""
        self._left -= 1
        return self._left >= 0


def unmark(text: str, marks: Iterable[Span] = ()) -> UnmarkedText:
    """Return a text without the traces of the markers that stood, or still stand, at ``marks``, and without white space at its end.

    Well-formed markers are found wherever they stand.
    """
    written = (found.span() for found in _WRITTEN.finditer(text))
    last, steps = len(text.rstrip()), _Steps()
    grown = {_grown(text, *mark, last, steps) for mark in _joined(text, sorted([*marks, *written]))}
    whole = [each if each in grown else _grown(text, *each, last, steps) for each in _joined(text, sorted(grown))]
    return UnmarkedText(text, [*whole, *chain.from_iterable(_brackets_of_link(text, *each) for each in whole), (last, len(text))])


def _brackets_of_link(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the brackets around the words of a link that leads to nothing but a marker: ``[words]([[SF:risk_level]])``."""
    found = _LINK.search(text[max(0, start - _LONGEST_LINK) : start]) if text[start : start + 1] == "(" and text[end - 1] == ")" else None
    if found:
        first = start - len(found[0])
        yield first, first + 1
        yield start - 1, start


def _joined(text: str, marks: Sequence[Span]) -> Iterator[Span]:
    """Yield the marks, those as one that only a comma or an *and* stands between, or that are lines of their own below each other."""
    start, end = marks[0] if marks else (0, 0)
    for mark in marks[1:]:
        if mark[0] <= end or (mark[0] - end <= _LONGEST and _is_between(text, end, mark)):
            end = max(end, mark[1])
        else:
            yield start, end
            start, end = mark
    if marks:
        yield start, end


def _is_between(text: str, end: int, mark: Span) -> bool:
    """True if what stands between the end of a mark and the next mark is there only because of both."""
    if _BETWEEN.fullmatch(text, end, mark[0]):
        return True
    return _NEXT_LINE.fullmatch(text, end, mark[0]) is not None and _ENDS.match(text, mark[1]) is not None


def _grown(text: str, start: int, end: int, last: int, steps: _Steps) -> Span:
    """Return a mark with what stands around it only because of it. From ``last`` on the text is blank."""
    if not steps.take():
        return start, end
    enclosed = _enclosed(text, start, end, steps)
    if enclosed != (start, end):
        start, end = enclosed
        start -= text[start - 1 : start] == " "
    start -= text[start - 1 : start] in _THIN if start else 0
    before = text[max(0, start - _LONGEST) : start]
    before = before[: len(before) - _led_to_by(before, text, end)]
    start = max(0, start - _LONGEST) + len(before)
    begins, ends, comma = _BEGINS.search(before), _ENDS.match(text, end), _COMMA.match(text, end)
    if begins and (len(before) < _LONGEST or before[begins.start()] == "\n"):
        if ends:
            return _line(text, _below_heading(text, start - len(begins[1]) - len(begins[2]), ends.end(), last), ends.end(), last)
        if comma or begins[2]:
            return start - len(begins[2]), _behind(text, comma.end() if comma else end, begins[1])
    if comma and before[-1:] in _BRACKETS:
        return start, comma.end()
    if ends:
        return start - (len(before) - len(before.rstrip(" \t"))), ends.end()
    if text[end : end + 1] in (" ", "\t") and (not start or before[-1:] == "\n" or _OPENING.search(before)):
        end += 1
    return start, end


def _behind(text: str, end: int, bullet: str) -> int:
    """Return the end of a mark at the beginning of a line, with the space behind it, unless that is the only one after a bullet."""
    end += text[end : end + 1] == " "
    return end - 1 if bullet.strip() and bullet[-1:] not in " \t" and text[end - 1 : end] == " " else end


def _below_heading(text: str, start: int, end: int, last: int) -> int:
    """Return the start of a list of nothing but marks, with a heading such as *Sources:* right above it, if the list ends there."""
    is_last = end >= last or text[end : end + 2] == "\n\n"
    found = _HEADING.search(text[max(0, start - _LONGEST) : start]) if is_last else None
    return start - len(found[1]) if found else start


def _led_to_by(before: str, text: str, end: int) -> int:
    """Return the length of what only leads to a mark: a dash or a comma at the end of ``before``, if the sentence or clause ends there."""
    found = _DASH.search(before) if _STOPS.match(text, end) else None
    found = found or (_AFTER_COMMA.search(before) if text[end : end + 1] in _CLAUSE_ENDS else None)
    return len(found[0]) if found else 0


def _enclosed(text: str, start: int, end: int, steps: _Steps) -> Span:
    """Return a mark with the brackets, quotation marks and tags that enclose nothing else."""
    while steps.take():
        before = text[max(0, start - _LONGEST) : start]
        wider = _in_brackets(before, text, end) or _in_tags(before, text, end) or _in_quotes(before, text, end)
        if wider is None:
            break
        start, end = start - wider[0], end + wider[1]
    return start, end


def _in_brackets(before: str, text: str, end: int) -> Span | None:
    """Return the number of characters that brackets take up on both sides of a mark."""
    opens, closes = _OPENS.search(before), _CLOSES.match(text, end)
    return (len(opens[0]), closes.end() - end) if opens and closes and _BRACKETS[opens[1]] == closes[1] else None


def _in_tags(before: str, text: str, end: int) -> Span | None:
    opens, closes = _TAG_OPENS.search(before), _TAG_CLOSES.match(text, end)
    if opens and closes and opens[1] == closes[1]:
        return len(opens[0]), closes.end() - end
    opens, closes = _COMMENT[0].search(before), _COMMENT[1].match(text, end)
    return (len(opens[0]), closes.end() - end) if opens and closes else None


def _in_quotes(before: str, text: str, end: int) -> Span | None:
    """Return the same of quotation marks and emphasis, within which a label may lead to the mark."""
    label = _LABELLED.search(before)
    for led in (0, len(label[0])) if label else (0,):
        inner = before[: len(before) - led]
        for opens, closes in _QUOTES:
            if text.startswith(closes, end) and inner.endswith(opens):
                return led + len(opens), len(closes)
    return None


def _line(text: str, start: int, end: int, last: int) -> Span:
    """Return the span of a line that has nothing but a mark, with one of the line ends, and with one of the empty lines around it."""
    if end >= last:
        return last if start > last else len(text[:start].rstrip()), len(text)
    end += 1
    if (not start or text[max(0, start - 2) : start] == "\n\n") and text[end : end + 1] == "\n":
        end += 1
    return start, end


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged
