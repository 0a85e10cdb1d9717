"""The labels of a report as training data: plain lines, OpenInference annotations, or a Label Studio task list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from attribution import canonical_bytes
from reviewers.reports.exports.formats.json_documents import ALL, Element, JSONFormat, derived
from reviewers.reports.exports.report import Answer, Header, Part
from reviewers.reports.exports.schema import Excerpt, ReportedLabel

_SCORES = {"correct": 1.0, "supports": 1.0, "wrong": 0.0, "does_not_say": 0.0, "contradicts": 0.0, "misstated": 0.5}
"""The score of each verdict: how much of the row is right. "Cannot judge" has none. The label tells apart what the score does not."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A label and the field or citation that it judges."""

    kind: str
    name: str
    value: Any
    footnote: int | None
    method: str
    rule: str
    score: float | None
    excerpts: tuple[Excerpt, ...]
    said: ReportedLabel


def write_labels(parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield a line for each label."""
    for answer in _answers(parts):
        for each in judged_of(answer):
            yield canonical_bytes(_plain(answer, each)) + b"\n"


def write_openinference(parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield a line for each label, in the form of span annotations. The span is named by the answer's external identifier."""
    for answer in _answers(parts):
        for each in judged_of(answer):
            yield canonical_bytes(_annotation(answer, each)) + b"\n"


def _begin(_: Header) -> bytes:
    return b"["


def _tasks(_: Header, answer: Answer) -> Iterator[Element]:
    task = _task(answer)
    if task["annotations"]:
        yield Element(ALL, canonical_bytes(task))


def _end(_: Header, count: int) -> bytes:
    del count
    return b"]\n"


LABEL_STUDIO = JSONFormat(_begin, _tasks, _end, {ALL: (b"", b"")})
"""A list of tasks with the annotations of each reviewer."""


def judged_of(answer: Answer) -> Iterator[Judged]:
    """Yield every label of an answer."""
    for row in answer.rows:
        seen, name = row.spans or row.claims, f"{row.section}.{row.path}"
        for said in row.said:
            yield Judged("field", name, row.value, row.footnote, row.method, row.rule, row.score, seen, said)
    for document in answer.documents:
        for cited in document.citations:
            seen = (cited.claim,) if cited.claim else ()
            for said in cited.said:
                yield Judged("citation", document.id, document.title, document.footnote, cited.status, "", None, seen, said)


def _answers(parts: Iterable[Part]) -> Iterator[Answer]:
    return (part for part in parts if isinstance(part, Answer))


def _plain(answer: Answer, each: Judged) -> dict[str, Any]:
    return {
        "id": each.said.label,
        "answer": answer.id,
        "external_id": answer.external_id,
        "text": answer.text,
        "kind": each.kind,
        "name": each.name,
        "value": each.value,
        "footnote": each.footnote,
        "method": each.method,
        "rule": each.rule,
        "score": each.score,
        "spans": [[span.start, span.end] for span in each.excerpts],
        "verdict": each.said.verdict,
        "note": each.said.note,
        "reviewer": each.said.reviewer,
        "labelled_at": each.said.said_at,
    }


def _annotation(answer: Answer, each: Judged) -> dict[str, Any]:
    result: dict[str, Any] = {"label": each.said.verdict}
    if each.said.verdict in _SCORES:
        result["score"] = _SCORES[each.said.verdict]
    if each.said.note:
        result["explanation"] = each.said.note
    return {
        "span_id": answer.external_id,
        "name": f"{each.kind} {each.name}",
        "annotator_kind": "HUMAN",
        "result": result,
        "identifier": each.said.label,
        "metadata": {"reviewer": each.said.reviewer, "labelled_at": each.said.said_at, "method": each.method, "rule": each.rule},
    }


def _task(answer: Answer) -> dict[str, Any]:
    by_reviewer: dict[str, list[Judged]] = {}
    for each in judged_of(answer):
        by_reviewer.setdefault(each.said.reviewer, []).append(each)
    return {
        "data": {"id": answer.id, "question": answer.question, "text": answer.text},
        "annotations": [
            {
                "unique_id": derived(answer.id, reviewer),
                "created_username": reviewer,
                "created_at": max(each.said.said_at for each in judged),
                "result": [region for each in judged for region in _regions(each)],
            }
            for reviewer, judged in by_reviewer.items()
        ],
    }


def _regions(each: Judged) -> Iterator[dict[str, Any]]:
    """Yield a region for each place in the text, or one for the whole text if there is no place."""
    meta = {"text": [part for part in (f"{each.kind} {each.name}", each.said.note) if part]}
    for excerpt in each.excerpts:
        value = {"start": excerpt.start, "end": excerpt.end, "text": excerpt.text, "labels": [each.said.verdict]}
        name = derived(each.said.label, excerpt.start, excerpt.end)
        yield {"id": name, "from_name": "verdict", "to_name": "text", "type": "labels", "value": value, "meta": meta}
    if not each.excerpts:
        value = {"choices": [f"{each.name}: {each.said.verdict}"]}
        yield {"id": each.said.label, "from_name": "unseen", "to_name": "text", "type": "choices", "value": value, "meta": meta}
