"""OpenAI: annotations of a text, in Chat Completions and Assistants, and in Responses with the results of its own searches."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attribution import lenient_json
from attribution.documents.native.answer import MOST_READ, NativeAnswer, Offsets, Unit, native, placed, source
from attribution.documents.references import Pointer, WrittenCitation
from attribution.documents.sources import CitableSource, SourceKind
from attribution.model import Span

_STOPS = frozenset(".!?,;:\n。！？")
_UNITS = (Unit.CODE_POINT, Unit.UTF16)
_COUNTED = [(unit, last) for last in (0, 1) for unit in _UNITS]
"""Ends are documented as those of the last character, and given as the offset behind it."""
_LONGEST_MARK = 10_000
"""The longest link or mark that is read."""
_LONGEST_TEXT = 400
"""The most code points of an annotation's span that are read."""
_MOST_BLANKS = 1_000
_MARK = re.compile(r"[ \t]?(?:\((?:\[[^\[\]\n]{0,300}\]\([^\s()]{1,2000}\)(?:,[ \t])?)+\)|【[^【】\n]{1,100}】)")


class Annotations:
    """Reads annotations into citations, and remembers the sources that only they name."""

    def __init__(self) -> None:
        self.citations: list[WrittenCitation] = []
        self.sources: dict[str, CitableSource] = {}
        self.misplaced: list[str] = []

    def read(self, annotations: Sequence[object], text: str, base: int) -> None:
        """The annotations of ``text``, which begins at ``base`` in the answer."""
        offsets = Offsets(text)
        for each in annotations[:MOST_READ]:
            found = lenient_json.mapping(each)
            inner = lenient_json.mapping(found.get("url_citation")) or lenient_json.mapping(found.get("file_citation"))
            merged = {**inner, **found} if inner else found
            if "citation" in lenient_json.text(found, "type"):
                self._add(merged, offsets, base)

    def _add(self, found: lenient_json.Object, offsets: Offsets, base: int) -> None:
        uri, title, file = (
            lenient_json.text(found, "url"),
            lenient_json.text(found, "title", "filename"),
            lenient_json.text(found, "file_id"),
        )
        name = uri or file or title
        if not name:
            return
        if name not in self.sources:
            kind = SourceKind.WEB if uri else SourceKind.FILE
            self.sources[name] = source(f"annotation-{len(self.sources) + 1}", kind, found, "")
        pointer = Pointer(title or name, source=file or self.sources[name].id, uri=uri, title=title)
        span, is_mark = self._span(found, offsets, title or name)
        quote = lenient_json.text(found, "quote")
        if span is None:
            self.citations.append(native(title or name, (pointer,), None, quote))
            return
        whole = (base + span[0], base + span[1])
        words = offsets.text[span[0] : min(span[1], span[0] + _LONGEST_TEXT)]
        citation = native(words or title or name, (pointer,), None if is_mark else whole, quote)
        self.citations.append(citation._replace(raw=whole if is_mark else None))

    def _span(self, found: lenient_json.Object, offsets: Offsets, name: str) -> tuple[Span | None, bool]:
        """Return where an annotation stands, and whether what is there is a mark and no words of the answer."""
        start, end = lenient_json.whole(found, "start_index"), lenient_json.whole(found, "end_index")
        if start is None or end is None:
            return _behind(offsets.text, lenient_json.whole(found, "index")), True
        span = placed(offsets, start, end, lenient_json.text(found, "text"), _UNITS)
        uri = lenient_json.text(found, "url")
        for unit, last in _COUNTED if uri and not lenient_json.text(found, "text") else ():
            other = offsets.span(start, end + last, unit)
            if other is not None and _is_cut_out(_mark_at(offsets.text, other)):
                span = other
                break
        if span is None:
            self.misplaced.append(f"the citation of ‘{name[:80]}’ ends behind the text")
            return None, False
        return _without_blanks(offsets.text, span), _MARK.fullmatch(_mark_at(offsets.text, span)) is not None


def _behind(text: str, place: int | None) -> Span | None:
    """The empty span at a place where a clause ends; any other number counts something else, such as files."""
    if place is None or not 0 < place <= len(text):
        return None
    ends_clause = place == len(text) or text[place] in _STOPS or text[place - 1] in _STOPS
    return (place, place) if ends_clause else None


def _mark_at(text: str, span: Span) -> str:
    """Return what stands at a span, if it can be a mark at all; nothing of a long one, which would be copied for each annotation."""
    return text[slice(*span)] if span[1] - span[0] <= _LONGEST_MARK else ""


def _without_blanks(text: str, span: Span) -> Span:
    """A span without the white space at its ends, so much of it at most."""
    start, end = span
    ahead = text[start : min(end, start + _MOST_BLANKS)]
    start += len(ahead) - len(ahead.lstrip())
    behind = text[max(start, end - _MOST_BLANKS) : end]
    return start, max(start, end - len(behind) + len(behind.rstrip()))


def _is_cut_out(words: str) -> bool:
    """Return True if the words at a span are a whole link or mark: then its unit is the right one."""
    return (words.startswith("[") and words.endswith(")") and "](" in words) or _MARK.fullmatch(words) is not None


def read_openai_chat(response: lenient_json.Object) -> NativeAnswer | None:
    """The first choice of a completion, a message alone, or a message of a thread."""
    choices = lenient_json.items(response.get("choices"))
    message = lenient_json.mapping(lenient_json.mapping(choices[0]).get("message")) if choices else response
    annotations = Annotations()
    content = message.get("content")
    if isinstance(content, str) and (choices or "annotations" in message):
        annotations.read(lenient_json.items(message.get("annotations")), content, 0)
        return NativeAnswer(content, annotations.citations, list(annotations.sources.values()), annotations.misplaced)
    parts = [lenient_json.mapping(lenient_json.mapping(part).get("text")) for part in lenient_json.items(content)]
    if not any("value" in part for part in parts):
        return None
    texts: list[str] = []
    length = 0
    for part in parts:
        text = lenient_json.text(part, "value")
        annotations.read(lenient_json.items(part.get("annotations")), text, length)
        texts.append(text)
        length += len(text)
    return NativeAnswer("".join(texts), annotations.citations, list(annotations.sources.values()), annotations.misplaced)


def read_openai_responses(response: lenient_json.Object) -> NativeAnswer | None:
    """A response with output items."""
    outputs = [lenient_json.mapping(item) for item in lenient_json.items(response.get("output"))]
    if not outputs:
        return None
    annotations = Annotations()
    texts: list[str] = []
    sources: list[CitableSource] = []
    length = 0
    for output in outputs:
        sources += _results(output)
        for part in [lenient_json.mapping(each) for each in lenient_json.items(output.get("content"))]:
            if part.get("type") == "output_text":
                text = lenient_json.text(part, "text")
                annotations.read(lenient_json.items(part.get("annotations")), text, length)
                texts.append(text)
                length += len(text)
    return NativeAnswer("".join(texts), annotations.citations, [*sources, *annotations.sources.values()], annotations.misplaced)


def _results(output: lenient_json.Object) -> list[CitableSource]:
    """Return what a search of the provider found."""
    kind = lenient_json.text(output, "type")
    request = lenient_json.text(output, "id") or kind
    if kind == "file_search_call":
        found = [lenient_json.mapping(each) for each in lenient_json.items(output.get("results"))[:MOST_READ]]
        return [
            source(f"{request}-{n}", SourceKind.FILE, each, "file_search", lenient_json.text(each, "text"))
            for n, each in enumerate(found, 1)
        ]
    if kind == "web_search_call":
        listed = lenient_json.items(lenient_json.mapping(output.get("action")).get("sources"))
        found = [lenient_json.mapping(each) for each in listed[:MOST_READ]]
        return [source(f"{request}-{n}", SourceKind.WEB, each, "web_search") for n, each in enumerate(found, 1) if each.get("url")]
    return []
