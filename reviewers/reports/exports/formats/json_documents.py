"""A report as JSON lines, and the frame of formats that are one JSON document.

A line of JSON is a part of the report: its head, an answer, or its end. Keys have the order of the report's classes, which people can
follow.

A document has a beginning, the elements of each answer in groups, and an end. A long document can be written in pieces: each piece holds
the elements of some answers by group, and is appended to its group at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID, uuid5

from reviewers.reports.exports.report import Answer, Header, Part, write_json

_SPACE = UUID("8e6f3a52-6f0c-5b0e-9b3e-0d7c1f1f4c11")

ALL = "elements"
"""The group of formats that have only one."""


def urn(identifier: str) -> str:
    """Return the URN of something that has an identifier of its own."""
    return f"urn:uuid:{identifier}"


def derived(*parts: object) -> str:
    """Return a stable identifier of something that has none, derived from its owner and its place there. Lone surrogates are allowed."""
    return str(uuid5(_SPACE, "\0".join(map(str, parts)).encode("utf-8", "backslashreplace").decode()))


def write_jsonl(parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield a line for each part."""
    for part in parts:
        yield line_of(part)


def line_of(part: Part) -> bytes:
    """Return the line of a part; its ``part`` names the kind."""
    return b'{"part":"' + name_of(part).encode() + b'",' + write_json(part)[1:] + b"\n"


def name_of(part: Part) -> str:
    """Return the name of the kind of a part."""
    if isinstance(part, Answer):
        return "answer"
    return "head" if isinstance(part, Header) else "end"


class Element(NamedTuple):
    """An element of an answer in its group. An element with a key comes with several answers, and is written once."""

    group: str
    content: bytes
    key: str = ""


@dataclass(frozen=True, slots=True)
class JSONFormat:
    """A format that is one JSON document: its beginning, the elements of an answer, and its end for a total number of elements.

    ``groups`` are in the order of the document, each with the bytes before and after its elements, which are left out if it is empty.
    """

    begin: Callable[[Header], bytes]
    elements: Callable[[Header, Answer], Iterable[Element]]
    end: Callable[[Header, int], bytes]
    groups: Mapping[str, tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class WrittenElements:
    """The elements of some answers: the bytes of each group, each element after a comma; their number; and the elements with keys."""

    groups: Mapping[str, bytes]
    count: int
    once: Mapping[str, Element]


def write_elements(document: JSONFormat, header: Header, answers: Iterable[Answer]) -> WrittenElements:
    """Return the elements of some answers as a piece of the document."""
    groups: dict[str, list[bytes]] = {}
    once: dict[str, Element] = {}
    count = 0
    for answer in answers:
        for element in document.elements(header, answer):
            if element.key:
                once.setdefault(element.key, element)
            else:
                groups.setdefault(element.group, []).append(element.content)
                count += 1
    return WrittenElements({group: joined(contents) for group, contents in groups.items()}, count, once)


def joined(contents: Iterable[bytes]) -> bytes:
    """Return the contents, each after a comma."""
    return b"".join([b"," + content for content in contents])


def assemble(document: JSONFormat, header: Header, count: int, pieces: Callable[[str], Iterable[bytes]]) -> Iterator[bytes]:
    """Yield the whole document from the pieces of each group."""
    yield document.begin(header)
    for group, (before, behind) in document.groups.items():
        is_first = True
        for piece in filter(None, pieces(group)):
            yield before + piece[1:] if is_first else piece
            is_first = False
        yield b"" if is_first else behind
    yield document.end(header, count)


def write_document(document: JSONFormat, parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield a document that is short enough for memory."""
    header, *answers = [part for part in parts if isinstance(part, Header | Answer)]
    if not isinstance(header, Header):
        raise TypeError("A report begins with its header.")
    written = write_elements(document, header, [each for each in answers if isinstance(each, Answer)])
    groups = {group: [content] for group, content in written.groups.items()}
    for element in written.once.values():
        groups.setdefault(element.group, []).append(joined([element.content]))
    yield from assemble(document, header, written.count, lambda group: groups.get(group, ()))
