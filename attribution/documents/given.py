"""What a turn holds before any citation is looked at: the answer as written, and every source in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from attribution.budget import MOST_SOURCES
from attribution.documents import keys
from attribution.documents.grammars.object_in_text import object_in
from attribution.documents.merging import with_own_ids, without_known
from attribution.documents.native import NativeAnswer, read_native
from attribution.documents.policy import DEFAULT_POLICY, CitationPolicy
from attribution.documents.reading import read_documents
from attribution.documents.source import CitableSource
from attribution.errors import InputError


class Given(NamedTuple):
    """The raw text of an answer, the documents given to the model, and the sources found besides: by tools or by the provider.

    ``written`` is the answer object that the response holds, ``fault`` what is wrong with one that cannot be read, and ``native`` what a
    provider's own response was read into. ``unread_tools`` says of which tools nothing is read.
    """

    raw_text: str
    documents: list[CitableSource]
    others: list[CitableSource]
    written: keys.Object | None = None
    native: NativeAnswer | None = None
    fault: str = ""
    unread_tools: tuple[str, ...] = ()

    @property
    def sources(self) -> list[CitableSource]:
        """All that could be cited, documents first."""
        return [*self.documents, *self.others]


def read_given(
    *,
    response: str = "",
    documents: Sequence[Any] = (),
    tool_calls: Sequence[Any] = (),
    native: Any = None,
    policy: CitationPolicy = DEFAULT_POLICY,
) -> Given:
    """Read an answer and its sources, and check nothing: a small part of the work of attributing them.

    A response without text is the one that the provider's own response holds. Raises ``InputError`` as ``attribute_documents`` does.
    """
    _require(response, documents, tool_calls)
    found = read_native(native) if native is not None else None
    text = response or (found.text if found else "")
    written, raw, fault = object_in(text)
    read = read_documents(documents[:MOST_SOURCES])
    found_by_tools, unread_tools = policy.extractors.read_all(tool_calls[:MOST_SOURCES])
    tools = found_by_tools[:MOST_SOURCES]
    carried = without_known(found.sources[:MOST_SOURCES], [*read, *tools]) if found else []
    return Given(
        raw_text=raw,
        documents=read,
        others=with_own_ids([*tools, *carried], read),
        written=written,
        native=found,
        fault=fault,
        unread_tools=tuple(unread_tools),
    )


def _require(response: Any, documents: Any, tool_calls: Any) -> None:
    if not isinstance(response, str):
        raise InputError("response", "must be text")
    for name, value in (("documents", documents), ("tool_calls", tool_calls)):
        if not isinstance(value, (list, tuple)):
            raise InputError(name, "must be a list")
