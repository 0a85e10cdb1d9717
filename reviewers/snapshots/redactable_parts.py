"""The parts of a frozen record that can be redacted, and the record without some of them.

Redacted parts leave bars of one length: they reveal nothing, no matcher finds them in an answer, and every reader of the record sees that
something was there. Names of fields and identifiers of documents stay, because labels and citations refer to them; so does the record's own
identifier, by which it is recognised when it is sent again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self

from attribution import context_values
from reviewers.snapshots.models import storable
from reviewers.snapshots.unmarked import has_marker

BARS = "█████"

_KEY = re.compile(r"((?:[^.\\]|\\.)*)(?:\.|$)")
_WHOLE = "value"
_SHORTEST_QUOTE = 12
_NAMING = frozenset({"tool", "prefix", "section", "field", "path"})
_PLACING = frozenset({"start", "end", "span"})
_NAME = re.compile(r"[\w.\-]{1,200}")
_MARKER = re.compile(r"(?:\[\[)?\w{1,64}[:.][\w.\-]{1,200}(?:\]\])?")

REFERENCES: Mapping[str, str] = {
    "client_reference": "the client’s reference",
    "conversation_id": "the reference of the conversation",
    "provider": "the provider’s name",
}
"""Names that have columns of their own as well."""

_CARRIED = frozenset({"native", "citations", "field_citations", "abstention_reason"})
"""Fields that also contain the answer."""

REST = "rest"
"""Everything in the record that is not read: its sender may have put anything there."""

_GIVEN = ("user_text", "context", "documents", "tool_calls")
"""Parts that the model was given. Some of them may repeat earlier turns."""

_OF_RECORD = ("user_text", "response", "context.", "documents.", "tool_calls.", REST, *REFERENCES)
"""The beginnings of the names of a frozen record's parts."""

READ = frozenset(
    {
        "id",
        "response",
        "user_text",
        "context",
        "documents",
        "tool_calls",
        "field_citations",
        "citations",
        "native",
        "abstention_reason",
        *REFERENCES,
        "model",
        "prompt_version",
        "schema_version",
        "turn_index",
        "answered_at",
        "hidden_sections",
        "completeness",
        "completeness_threshold",
        "citation_instruction",
    }
)
"""The fields of a record that are read."""


@dataclass(frozen=True, slots=True)
class RecordPart:
    """A part: its name, and its description in words. ``field`` is the section and path of a context field."""

    name: str
    words: str
    field: tuple[str, str] | None = None


def is_of_record(name: str) -> bool:
    """Return True if a redacted part belongs to the frozen record; others are texts that people wrote beside it."""
    return name.startswith(_OF_RECORD)


def parts_of_record(turn: Mapping[str, Any]) -> Iterator[RecordPart]:
    """Yield the parts that a record has, in its order."""
    if turn.get("user_text"):
        yield RecordPart("user_text", "the user’s message")
    if turn.get("response") or turn.get("native"):
        yield RecordPart("response", "the answer")
    yield from (RecordPart(name, words) for name, words in REFERENCES.items() if turn.get(name) not in (None, ""))
    for (section, path), value in context_values(turn["context"]).items():
        if value == {}:  # nothing is in it, and with bars in its place a list of objects would be none
            continue
        yield RecordPart(field_name(section, path), f"{storable(section)} · {storable(path)}", (section, path))
    for kind, words in (("documents", "document"), ("tool_calls", "what tool call {} gave")):
        for index, given in enumerate(turn.get(kind) or ()):
            if given is not None:
                yield RecordPart(f"{kind}.{index}", words.format(index + 1) if "{}" in words else f"{words} {index + 1}")
    if rest_of(turn):
        yield RecordPart(REST, "what else was sent with it, and is not read")


def rest_of(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that are not read."""
    return {name: value for name, value in turn.items() if name not in READ}


def marked_parts(turn: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of those parts of what the model was given in which well-formed markers stand."""
    if not any(map(has_marker, _texts_and_figures([turn.get(name) for name in _GIVEN]))):
        return frozenset()
    return frozenset([part.name for part, texts in texts_of_record(turn) if part.name.startswith(_GIVEN) and any(map(has_marker, texts))])


def without_markers(value: Any) -> Any:
    """Return a JSON value with bars in place of every text in which a well-formed marker stands."""
    if isinstance(value, str):
        return BARS if has_marker(value) else value
    if isinstance(value, list):
        return [without_markers(each) for each in value]
    return {name: without_markers(each) for name, each in value.items()} if isinstance(value, dict) else value


def field_name(section: str, path: str) -> str:
    """Return the name of a field as a part, as the database can store it."""
    return storable(sealed_name(section, path))


def sealed_name(section: str, path: str) -> str:
    """Return the name under which an event commits to a field: dots in a section are escaped, as those in paths are."""
    escaped = section.replace("\\", "\\\\").replace(".", "\\.")
    return f"context.{escaped}.{path}"


# What stays of a record stays as it was written: the database compares it with the record before, and knows more digits than a float has.


class _Spelled(float):
    """A number with the text that it was read from."""

    spelling: str

    def __new__(cls, spelling: str) -> Self:
        made = super().__new__(cls, spelling)
        made.spelling = spelling
        return made

    def __deepcopy__(self, memo: object) -> Self:
        return self


def read_turn(raw: bytes) -> dict[str, Any]:
    """Return a stored record, whose numbers remember how they were written."""
    turn: dict[str, Any] = json.loads(raw, parse_float=_Spelled)
    return turn


def write_turn(turn: Mapping[str, Any]) -> bytes:
    """Return a record in the order of its keys, which canonical JSON does not keep. It is no longer than it was, but for bars."""
    return storable(_written(turn)).encode()


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join([f"{_written(key)}:{_written(each)}" for key, each in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return value.spelling if isinstance(value, _Spelled) else json.dumps(value, ensure_ascii=False)


def remove_parts(turn: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the record with bars in place of the named parts."""
    left: dict[str, Any] = deepcopy(dict(turn))
    left |= {name: BARS for name in ("user_text", *REFERENCES) if name in names and name in left}
    dropped = {name for name in left if name not in READ} if REST in names else set[str]()
    if "response" in names:
        left["response"] = BARS
        dropped |= _CARRIED
    left = {name: value for name, value in left.items() if name not in dropped}
    for section, path in context_values(turn["context"]):
        if field_name(section, path) in names:
            _put(left["context"], section, path)
    gone: list[str] = []
    for kind, kept in (("documents", ("id",)), ("tool_calls", ("id", "name"))):
        for index, given in enumerate(turn.get(kind) or ()):
            if f"{kind}.{index}" in names:
                left[kind][index] = _barred(given, kept)
                gone += _texts(given)
    _bar_quotes(left, gone)
    if left.get("field_citations") and any(part.name in names for part in parts_of_record(turn)):
        has_time = len(left["field_citations"]) * len(turn["response"]) <= _MOST_COMPARED
        left["field_citations"] = [_only_cited(each, turn["response"] if has_time else "") for each in left["field_citations"]]
    return left


def _only_cited(entry: Any, response: str) -> Any:
    """Return a citation that was sent beside the text, with bars for all but the field it names and words that the answer has.

    Its sender may have put the field's value there, or any other words. Where so many stand beside so long an answer that looking them up
    would take minutes, all words become bars.
    """
    if not isinstance(entry, dict):
        return entry if isinstance(entry, str) and _MARKER.fullmatch(entry) else BARS
    return {key: value if _is_only_cited(key, value, response) else BARS for key, value in entry.items()}


def _is_only_cited(key: str, value: Any, response: str) -> bool:
    if key in _NAMING:
        return isinstance(value, str) and _NAME.fullmatch(value) is not None
    if key in _PLACING:
        within = value if isinstance(value, list) else [value]
        return all(isinstance(each, int | float) for each in within)
    return key == "text" and isinstance(value, str) and value in response


def _put(context: dict[str, Any], section: str, path: str) -> None:
    content = context[section]
    if path == _WHOLE and not (isinstance(content, dict) or _is_list_of_objects(content)):
        context[section] = BARS
        return
    *above, last = (re.sub(r"\\(.)", r"\1", key, flags=re.DOTALL) for key in _keys(path))
    for key in above:
        content = content[int(key) if isinstance(content, list) else key]
    content[int(last) if isinstance(content, list) else last] = BARS


def _keys(path: str) -> Iterator[str]:
    """Yield the keys of a path, still escaped; a key may be empty."""
    place = 0
    while place <= len(path):
        found = _KEY.match(path, place)
        if found is None:
            return
        yield found[1]
        if not found[0].endswith(".") or found.end() == found.end(1):
            return
        place = found.end()


def _is_list_of_objects(content: Any) -> bool:
    return isinstance(content, list) and bool(content) and all(isinstance(each, dict) for each in content)


def _barred(given: Any, kept: Collection[str]) -> Any:
    """Return a document or a tool call with bars for its texts; the keys that name it stay."""
    if not isinstance(given, dict):
        return BARS
    return {key: value if key in kept else BARS for key, value in given.items()}


def _texts(given: Any) -> list[str]:
    """Return the texts in a value that are long enough to be recognised."""
    if isinstance(given, str):
        return [given] if len(given) >= _SHORTEST_QUOTE else []
    children = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    return [text for child in children for text in _texts(child)]


def _bar_quotes(left: dict[str, Any], texts: Sequence[str]) -> None:
    """Put bars for passages of documents that citations and the model's native response repeat.

    Where there is so much of both that comparing them would take minutes, everything that could repeat a passage becomes bars.
    """
    carried = {name: left[name] for name in ("native", "citations") if left.get(name)}
    said = _texts(list(carried.values())) if texts else []
    if said:
        has_time = len(said) * (_size_of(texts) + _A_PAIR * len(texts)) + len(texts) * _size_of(said) <= _MOST_COMPARED
        left |= {name: _without_quotes(value, texts if has_time else None) for name, value in carried.items()}


_A_PAIR = 100
"""The characters that take as long to look through as it takes to begin with another text."""
_MOST_COMPARED = 50_000_000
"""The most characters that are looked through: a second or two if they are made to look alike, and far less otherwise."""


def _size_of(texts: Iterable[str]) -> int:
    return sum(map(len, texts))


def _without_quotes(given: Any, texts: Collection[str] | None) -> Any:
    """Return a value without the passages that it repeats of texts, or without any text that is long enough to be one."""
    if isinstance(given, dict):
        return {key: _without_quotes(value, texts) for key, value in given.items()}
    if isinstance(given, list):
        return [_without_quotes(value, texts) for value in given]
    if not isinstance(given, str) or len(given) < _SHORTEST_QUOTE:
        return given
    if texts is None or any(given in text for text in texts):
        return BARS
    for text in texts:
        given = given.replace(text, BARS)
    return given


def texts_of_record(turn: Mapping[str, Any]) -> Iterator[tuple[RecordPart, list[str]]]:
    """Yield each part with its texts and figures, for finding other places with the same words. They are never shown or stored."""
    values = context_values(turn["context"])
    for part in parts_of_record(turn):
        yield part, list(_texts_and_figures(values[part.field] if part.field else _value(turn, part.name)))


def _value(turn: Mapping[str, Any], name: str) -> Any:
    if name == "response":
        return [turn.get("response"), turn.get("native")]
    if name == REST:
        return rest_of(turn)
    kind, _, number = name.partition(".")
    return turn[kind][int(number)] if number else turn[kind]


def _texts_and_figures(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _texts_and_figures(child)
