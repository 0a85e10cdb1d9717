"""A long report as PDFs in one archive: typesetting takes memory for every page, so each holds some of the answers.

Each is a report of its own, with its answers attached and the number of the first and the last of them in its name. The head is
in all of them, and what is told of all answers together with the checkpoints over them in the last.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from reviewers.reports.exporting.formats.printed import pdf_of
from reviewers.reports.exporting.model import Answer, Closing, Header, Part

ANSWERS = 100
"""In one PDF: two or three hundred pages, some five hundred megabytes of memory."""

_MOMENT = (1980, 1, 1, 0, 0, 0)


def write_pdfs(parts: Iterable[Part]) -> Iterator[bytes]:
    """The archive, a PDF at a time."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w") as archive:
        for some in _cut(parts):
            answers = [each for each in some if isinstance(each, Answer)]
            closing = Closing(len(answers), _waiting(answers), ())
            is_last = isinstance(some[-1], Closing)
            content = pdf_of([_titled(some[0], answers), *answers, some[-1] if is_last else closing], is_part=not is_last)
            archive.writestr(zipfile.ZipInfo(_name(answers), _MOMENT), content)
            yield sink.taken()
    yield sink.taken()


def _cut(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """The head with some answers each, the last with the end."""
    head, *_ = some = [next(iterator := iter(parts))]
    for part in iterator:
        if isinstance(part, Answer) and len(some) > ANSWERS:
            yield some
            some = [head]
        some.append(part)
    yield some


def _titled(head: Part, answers: list[Answer]) -> Part:
    return replace(head, title=_title(head, answers)) if isinstance(head, Header) else head


def _title(header: Header, answers: list[Answer]) -> str:
    return f"{header.title}, answers {answers[0].number} to {answers[-1].number}" if answers else header.title


def _name(answers: list[Answer]) -> str:
    return f"report-{answers[0].number:06d}-{answers[-1].number:06d}.pdf" if answers else "report.pdf"


def _waiting(answers: list[Answer]) -> int:
    return sum(event.index is None for answer in answers for event in answer.events)


class _Sink(io.RawIOBase):
    """Where an archive is written to that is handed on piece by piece: what was written cannot be gone back to."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def taken(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken
