"""What a record holds about citations: the documents that the model was given, what tools returned, and citations beside the text.

Shapes are refused here where nothing could be read from them at all; what stands in them the engine reads as far as it can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviewers.snapshots.refusal import RecordError, kind_of

MOST_DOCUMENTS = 1_000
MOST_TOOL_CALLS = 1_000
LONGEST_REASON = 2_000
TEXTS = ("title", "url", "uri", "published_at")
CONTENTS = ("content", "text")


@dataclass(frozen=True, slots=True)
class Citing:
    """The parts of a record that are about citations of documents."""

    documents: tuple[Any, ...] = ()
    tool_calls: tuple[Any, ...] = ()
    citations: Any = None
    native: Any = None
    abstention_reason: str = ""

    @property
    def is_given(self) -> bool:
        """Whether there is anything that citations could be read from or looked up in."""
        return bool(self.documents or self.tool_calls or self.citations or self.native or self.abstention_reason)


def read_citing(data: Mapping[str, Any]) -> Citing:
    """Read them out of a record. Raises ``RecordError``."""
    documents = _list(data, "documents", MOST_DOCUMENTS)
    for index, document in enumerate(documents):
        _check_document(f"documents.{index}", document)
    return Citing(
        documents=tuple(documents),
        tool_calls=tuple(_objects("tool_calls", _list(data, "tool_calls", MOST_TOOL_CALLS))),
        citations=_citations(data.get("citations")),
        native=_object("native", data.get("native")),
        abstention_reason=_reason(data.get("abstention_reason")),
    )


def _list(data: Mapping[str, Any], key: str, most: int) -> list[Any]:
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RecordError(key, f"must be a list, not {kind_of(value)}")
    if len(value) > most:
        raise RecordError(key, f"has {len(value):,} entries, more than {most:,}")
    return value


def _objects(place: str, values: list[Any]) -> list[Any]:
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            raise RecordError(f"{place}.{index}", f"must be an object, not {kind_of(value)}")
    return values


def _object(place: str, value: Any) -> Any:
    if value is not None and not isinstance(value, dict):
        raise RecordError(place, f"must be an object, not {kind_of(value)}")
    return value


def _check_document(place: str, document: Any) -> None:
    """An object, or a text without a name. Null keeps the place of a document that could not be given."""
    if document is None or isinstance(document, str):
        return
    if not isinstance(document, dict):
        raise RecordError(place, f"must be an object or text, not {kind_of(document)}")
    for key in TEXTS:
        if not isinstance(document.get(key), (str, int, float, type(None))):
            raise RecordError(f"{place}.{key}", f"must be text, not {kind_of(document[key])}")
    for key in CONTENTS:
        if isinstance(document.get(key), (bool, int, float)):
            raise RecordError(f"{place}.{key}", f"must be text, not {kind_of(document[key])}")


def _citations(value: Any) -> Any:
    """A list of citations, or an answer object that holds them with its claims."""
    if value is None or isinstance(value, dict):
        return value
    if not isinstance(value, list):
        raise RecordError("citations", f"must be a list or an object, not {kind_of(value)}")
    return _objects("citations", value)


def _reason(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RecordError("abstention_reason", f"must be text, not {kind_of(value)}")
    if len(value) > LONGEST_REASON:
        raise RecordError("abstention_reason", f"is longer than {LONGEST_REASON:,} characters")
    return value
