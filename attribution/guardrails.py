"""Guardrails: what is wrong with how an answer cites, counted by kind, each with its first places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attribution.markers import Parsed
from attribution.model import FieldAttribution, Finding, GuardrailCode, Marker, MarkerStatus, Span
from attribution.text import NAMES, READ

_MOST_SPANS = 20
_MOST_TOLD = 5
_ORDER = (
    GuardrailCode.UNKNOWN,
    GuardrailCode.ABSENT,
    GuardrailCode.HIDDEN,
    GuardrailCode.AMBIGUOUS,
    GuardrailCode.ECHOED,
    GuardrailCode.QUOTED,
    GuardrailCode.MALFORMED,
    GuardrailCode.DUPLICATE,
)
_WORDS = {
    GuardrailCode.UNKNOWN: "cites a field that does not exist",
    GuardrailCode.ABSENT: "cites a field that this snapshot does not hold",
    GuardrailCode.HIDDEN: "cites a section that was withheld from the prompt",
    GuardrailCode.AMBIGUOUS: "cites a name that stands for several fields",
    GuardrailCode.ECHOED: "repeats a marker that stands in what the model was given",
    GuardrailCode.QUOTED: "writes a marker inside code or a quotation",
    GuardrailCode.MALFORMED: "writes what is almost a marker",
    GuardrailCode.DUPLICATE: "cites the same field again",
}


class Unread(NamedTuple):
    """The parts of a turn that were not read: characters of the answer, fields beyond the first so many, fields that were not compared.

    ``citations_left`` are those beside the text that were not read.
    """

    characters: int = 0
    characters_left: int = 0
    fields_read: int | None = None
    not_compared: int = 0
    is_spent: bool = False
    citations_left: int = 0


_ALL_READ = Unread()


def find_guardrails(
    parsed: Parsed, rows: Sequence[FieldAttribution], tokens_per_marker: int, unread: Unread = _ALL_READ
) -> tuple[Finding, ...]:
    """The findings: contradictions first, one each; then the markers that do not count, by kind; over-citing; what was not read."""
    dropped = _dropped_markers(parsed.markers, parsed.faults)
    found = (*_contradictions(rows), *dropped, *_over_cited(parsed, tokens_per_marker), *_language(parsed))
    return (*found, *_read_in_part(unread)) if unread[1:] != _ALL_READ[1:] else found


def _language(parsed: Parsed) -> Iterator[Finding]:
    """An answer in another language than those with grammar is matched and never contradicted."""
    language = parsed.answer.language
    if language not in READ:
        name = NAMES.get(language, language)
        message = (
            f"this answer is in {name}, which is read without grammar: denials and conditions are not seen, and nothing is contradicted"
        )
        yield Finding(GuardrailCode.LANGUAGE_NOT_READ, message, 1, ())


def _read_in_part(unread: Unread) -> Iterator[Finding]:
    code = GuardrailCode.READ_IN_PART
    if unread.characters_left:
        read = unread.characters - unread.characters_left
        what = f"it has {unread.characters:,} characters, of which the first {read:,} are examined"
        yield Finding(code, f"this answer was read in part: {what}. What was not read is not in the table", 1, ())
    if unread.fields_read is not None:
        what = f"the first {unread.fields_read:,} of its fields are in the table, and a citation of another one does not count"
        yield Finding(code, f"the context was read in part: {what}", 1, ())
    if unread.not_compared or unread.is_spent:
        many = f"{unread.not_compared:,} of its fields" if unread.not_compared else "some of its fields"
        what = f"{many} were not compared with the answer, or not with all of it: there is more in this turn than is examined"
        yield Finding(code, f"the context was read in part: {what}", 1, ())
    if unread.citations_left:
        yield Finding(code, f"the last {unread.citations_left:,} of the citations beside the text were not read", 1, ())


def _contradictions(rows: Sequence[FieldAttribution]) -> Iterator[Finding]:
    for row in rows:
        if row.contradiction:
            message = f"the record says {row.contradiction.recorded}, the answer says {row.contradiction.stated}"
            spans = row.contradiction.spans
            yield Finding(GuardrailCode.CONTRADICTED, message, len(spans), spans[:_MOST_SPANS], row.field.section, row.field.path)


def _dropped_markers(markers: Sequence[Marker], faults: Sequence[str]) -> Iterator[Finding]:
    by_code: dict[str, list[Marker]] = {}
    for marker in markers:
        if marker.status is not MarkerStatus.RESOLVED and not (marker.is_beside and marker.status is MarkerStatus.MALFORMED):
            by_code.setdefault(marker.status, []).append(marker)
    for code in _ORDER if by_code or faults else ():
        found, told = by_code.get(code, []), faults if code is GuardrailCode.MALFORMED else ()
        if found or told:
            message = "; ".join([*_misstated(told), *([_WORDS[code]] if found else [])])
            spans = [_place(marker, marker.position) for marker in found if marker.position is not None]
            yield Finding(code, message, len(found) + len(told), tuple(spans[:_MOST_SPANS]))


def _misstated(faults: Sequence[str]) -> Iterator[str]:
    """Say which entries beside the text cannot be read, or not in full, and why."""
    if faults:
        more = f"; and {len(faults) - _MOST_TOLD} more" if len(faults) > _MOST_TOLD else ""
        yield f"states citations beside the text that are not read in full: {'; '.join(faults[:_MOST_TOLD])}{more}"


def _place(marker: Marker, position: int) -> Span:
    """A malformed marker is in the clean text; the others left an empty place there."""
    length = len(marker.text) if marker.status is MarkerStatus.MALFORMED else 0
    return (position, position + length)


def _over_cited(parsed: Parsed, tokens_per_marker: int) -> Iterator[Finding]:
    if len(parsed.markers) < 2:
        return
    count = len([marker for marker in parsed.markers if marker.status is not MarkerStatus.MALFORMED])
    tokens = len(parsed.answer.words)
    if count > 1 and count * tokens_per_marker > tokens:
        message = f"{count} markers in {tokens} words; at most one in {tokens_per_marker} is expected"
        yield Finding(GuardrailCode.OVER_CITED, message, count, ())
