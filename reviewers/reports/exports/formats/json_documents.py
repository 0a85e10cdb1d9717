"""Names of things in formats that want an address for each: always the same for the same thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID, uuid5

from reviewers.reports.exports.report import Answer, Header, Part, write_json

_SPACE = UUID("8e6f3a52-6f0c-5b0e-9b3e-0d7c1f1f4c11")


def urn(identifier: str) -> str:
    """Of something that has an identifier of its own."""
    return f"urn:uuid:{identifier}"


def derived(*parts: object) -> str:
    """Of something that has none: made of what it belongs to and its place there, in which half of a surrogate pair may stand."""
    return str(uuid5(_SPACE, "\0".join(map(str, parts)).encode("utf-8", "backslashreplace").decode()))


# A report as lines of JSON: its head, each answer, its end. Everything that a report says is in it.
#
# The names stand in the order in which the report's shapes have them, so that people can read a line as well.


def write_jsonl(parts: Iterable[Part]) -> Iterator[bytes]:
    """A line for each part."""
    for part in parts:
        yield line_of(part)


def line_of(part: Part) -> bytes:
    """One line; ``part`` says what it is."""
    return b'{"part":"' + name_of(part).encode() + b'",' + write_json(part)[1:] + b"\n"


def name_of(part: Part) -> str:
    """The name of a kind of part."""
    if isinstance(part, Answer):
        return "answer"
    return "head" if isinstance(part, Header) else "end"


# Formats that are one document of JSON: a beginning, the elements of each answer, an end.
#
# Elements stand in groups, in the order in which answers have them, so that a long document can be written in pieces: each piece holds
# some answers' elements of each group, and is put behind the others of its group at the end.


ALL = "elements"
"""The group of formats that have one."""


class Element(NamedTuple):
    """Something of an answer: its group, and its text. What has a key comes with several answers, and stands in the document once."""

    group: str
    content: bytes
    key: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """What a format begins with, which elements an answer has, and what it ends with, given how many there are in all.

    ``groups`` are in the order of the document, each with what stands before and behind its elements, where there are any.
    """

    begin: Callable[[Header], bytes]
    elements: Callable[[Header, Answer], Iterable[Element]]
    end: Callable[[Header, int], bytes]
    groups: Mapping[str, tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Written:
    """The elements of some answers: those of each group, each behind a comma; how many; and by their keys those that stand there once."""

    groups: Mapping[str, bytes]
    count: int
    once: Mapping[str, Element]


def write_elements(document: Document, header: Header, answers: Iterable[Answer]) -> Written:
    """The elements of some answers, a piece of the document."""
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
    return Written({group: joined(contents) for group, contents in groups.items()}, count, once)


def joined(contents: Iterable[bytes]) -> bytes:
    """Each behind a comma."""
    return b"".join([b"," + content for content in contents])


def put_together(document: Document, header: Header, count: int, pieces: Callable[[str], Iterable[bytes]]) -> Iterator[bytes]:
    """The whole document, out of the pieces of each group."""
    yield document.begin(header)
    for group, (before, behind) in document.groups.items():
        is_first = True
        for piece in filter(None, pieces(group)):
            yield before + piece[1:] if is_first else piece
            is_first = False
        yield b"" if is_first else behind
    yield document.end(header, count)


def write_document(document: Document, parts: Iterable[Part]) -> Iterator[bytes]:
    """All of a document that is short enough for memory."""
    header, *answers = [part for part in parts if isinstance(part, Header | Answer)]
    if not isinstance(header, Header):
        raise TypeError("A report begins with its header.")
    written = write_elements(document, header, [each for each in answers if isinstance(each, Answer)])
    groups = {group: [content] for group, content in written.groups.items()}
    for element in written.once.values():
        groups.setdefault(element.group, []).append(joined([element.content]))
    yield from put_together(document, header, written.count, lambda group: groups.get(group, ()))
