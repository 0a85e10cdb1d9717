"""The mapping of a trace to a record, from three vocabularies: our own attributes, OpenInference, and OpenTelemetry's for generative AI.

Our own are exact and win over both. Each part of the record remembers the attribute that it came from, and what could not be mapped is a
finding. Both are kept in the record under ``trace``, and contain no value of the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from reviewers.snapshots.ingest.records import MOST_DOCUMENTS, MOST_TOOL_CALLS
from reviewers.snapshots.otlp.messages import (
    ChatMessage,
    answer_among,
    as_list,
    genai_messages,
    numbered,
    openinference_messages,
    split_turn,
)
from reviewers.snapshots.otlp.spans import TURN, SpanValues, TraceSpans, general_name, parsed, shown_name
from reviewers.snapshots.otlp.wording import NoTurn, TraceFinding

OWN = "footnote."
_EXACT = (
    *("turn_index", "provider", "schema_version", "hidden_sections", "completeness", "completeness_threshold"),
    *("citation_instruction", "field_citations", "citations", "native", "abstention_reason"),
)
"""Fields of a record that only our own attributes give."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "conversation_id": ("session.id", "gen_ai.conversation.id"),
    "client_reference": ("user.id",),
    "model": ("llm.model_name", "gen_ai.response.model", "gen_ai.request.model"),
    "prompt_version": ("llm.prompt_template.version", "gen_ai.prompt.version"),
}
"""Names in a record, with the attributes of the other vocabularies that give them."""
_READ_VOCABULARIES = (OWN, "input.", "output.", "llm.", "retrieval.", "reranker.", "tool.", "session.", "user.", "gen_ai.")
_KNOWN_BESIDE = frozenset({TURN, "input.mime_type", "output.mime_type", "gen_ai.operation.name", "tool_call.id"})

_LONGEST_NAME = 200
_MOST_EARLIER = 50
_MOST_UNREAD = 50
_FIRST_YEAR, _LAST_YEAR = 1990, 2100
_PROMPT_SECTION = "prompt"
"""The section of template variables that are no objects."""


@dataclass(slots=True)
class Mapped:
    """A record made of a trace, with its origins and findings; or the reason why the trace is no turn."""

    record: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    no_turn: NoTurn | None = None


def map_trace(trace: TraceSpans) -> Mapped:
    """Return the record that a trace makes."""
    turn = _turn_of(trace)
    return _Mapping(trace, turn).map() if turn else Mapped(no_turn=NoTurn.ROOT_MISSING)


def _turn_of(trace: TraceSpans) -> SpanValues | None:
    """Return the span that says it is the turn, or the root; of several the first with an answer.

    Any service that takes part in a trace can add one without.
    """
    turns = (*trace.marked, *trace.roots)
    return next((turn for turn in turns if _Mapping(trace, turn).has_answer), next(iter(turns), None))


class _Mapping:
    """The work on one trace."""

    def __init__(self, trace: TraceSpans, turn: SpanValues) -> None:
        self._trace = trace
        self._turn = turn
        self._read: set[str] = set()
        self._made = Mapped()

    @cached_property
    def _below(self) -> Sequence[SpanValues]:
        return self._trace.below(self._turn)

    @cached_property
    def _nearest(self) -> Sequence[SpanValues]:
        """The turn and the model calls below it, the last one first: it gave the answer."""
        calls = [span for span in self._below if span.kind in ("LLM", "chat", "text_completion", "generate_content")]
        return [self._turn, *reversed(calls)]

    @property
    def has_answer(self) -> bool:
        """True if the turn's own span has an answer."""
        return bool(self._response()) or f"{OWN}native" in self._turn.attributes

    def map(self) -> Mapped:
        made = self._made
        response = self._response()
        if not response and self._own("native") is None:
            return Mapped(no_turn=NoTurn.NO_ANSWER, unread=self._unread())
        made.record = {"id": f"trace-{self._trace.trace_id}", "response": response}
        self._put("user_text", *self._user_text())
        self._put("context", *self._context())
        self._put("documents", *self._documents())
        self._put("tool_calls", *self._tool_calls())
        for name in _NAMES:
            self._put(name, *self._name(name))
        for name in _EXACT:
            self._put(name, self._own(name), OWN + name)
        self._put("answered_at", self._answered_at(), "the end of the span")
        self._find_what_is_missing()
        made.unread = self._unread()
        made.record["trace"] = self._told()
        return made

    def _told(self) -> dict[str, Any]:
        made = self._made
        told = {"trace_id": self._trace.trace_id, "from": made.origins, "findings": made.findings, "unread": made.unread}
        return told | ({"keys": list(self._trace.keys)} if len(self._trace.keys) > 1 else {})

    def _put(self, part: str, value: Any, origin: str) -> None:
        """Put a part into the record, unless there is none."""
        if value is None or (value in ("", [], {}) and part != "context"):
            return
        self._made.record[part] = value
        if origin:
            self._made.origins[part] = origin

    def _find(self, finding: TraceFinding) -> None:
        if finding.value not in self._made.findings:
            self._made.findings.append(finding.value)

    def _find_what_is_missing(self) -> None:
        record = self._made.record
        missing = {
            TraceFinding.NO_CONTEXT: not record.get("context"),
            TraceFinding.NO_QUESTION: not record.get("user_text"),
            TraceFinding.NO_MODEL: not record.get("model"),
            TraceFinding.NO_PROMPT_VERSION: not record.get("prompt_version"),
            TraceFinding.SEVERAL_TURNS: len(self._trace.marked) > 1,
            TraceFinding.SEVERAL_ROOTS: not self._trace.marked and len(self._trace.roots) > 1,
            TraceFinding.SEVERAL_KEYS: len(self._trace.keys) > 1,
            TraceFinding.ATTRIBUTE_TWICE: any(span.has_repeated for span in self._trace.spans),
            TraceFinding.REST_ONLY: self._trace.is_rest,
        }
        for finding, holds in missing.items():
            if holds:
                self._find(finding)

    # Attributes.

    def _value(self, span: SpanValues, name: str) -> Any:
        value = span.attributes.get(name)
        if value is not None:
            self._note(name)
        return value

    def _note(self, name: str) -> None:
        self._read.add(general_name(name))

    def _first(self, spans: Iterable[SpanValues], *names: str) -> tuple[Any, str]:
        """Return the first of the attributes that a span has, and its name: spans in their order, each asked for all names."""
        for span in spans:
            for name in names:
                if (value := self._value(span, name)) is not None:
                    return value, name
        return None, ""

    def _own(self, name: str) -> Any:
        """Return one of our own attributes: the turn's, else that of a span below it, the last first."""
        value, _ = self._first([self._turn, *reversed(self._below)], OWN + name)
        return parsed(value) if name in ("context", "documents", "tool_calls", *_EXACT) else value

    def _unread(self) -> list[str]:
        names = {general_name(name) for span in self._trace.spans for each in (span.attributes, *span.events) for name in each}
        unread = sorted(name for name in names - self._read - _KNOWN_BESIDE if name.startswith(_READ_VOCABULARIES) and shown_name(name))
        own, others = ([name for name in unread if name.startswith(OWN) is is_own] for is_own in (True, False))
        return own[:_MOST_UNREAD] + others[:_MOST_UNREAD]

    # The two texts.

    def _response(self) -> str:
        for origin, read in self._ways_to_answer():
            if text := read():
                self._made.origins["response"] = origin
                return text
        return ""

    def _ways_to_answer(self) -> Sequence[tuple[str, Callable[[], str]]]:
        turn = self._turn
        given = ("output.value", lambda: self._text(turn, "output"))
        numbered_way = ("llm.output_messages", lambda: answer_among(openinference_messages(turn, "llm.output_messages", self._note)))
        listed = ("gen_ai.output.messages", lambda: answer_among(genai_messages(turn, "gen_ai.output.messages", self._note)))
        is_json = turn.attributes.get("output.mime_type") == "application/json"
        own = (f"{OWN}response", lambda: _as_text(self._value(turn, f"{OWN}response")))
        return (own, numbered_way, given, listed) if is_json else (own, given, numbered_way, listed)

    def _text(self, span: SpanValues, side: str) -> str:
        """Return OpenInference's input or output value as text. JSON is one if it is a text, or an object with a single text."""
        value = self._value(span, f"{side}.value")
        if span.attributes.get(f"{side}.mime_type") != "application/json":
            return _as_text(value)
        read = parsed(value)
        texts = [read] if isinstance(read, str) else [each for each in _values(read) if isinstance(each, str)]
        if len(texts) == 1:
            return texts[0]
        if texts:
            self._find(TraceFinding.SEVERAL_TEXTS)
        return ""

    def _user_text(self) -> tuple[str, str]:
        messages, origin = self._input_messages()
        last, earlier = split_turn(messages)
        if earlier:
            told = [{"role": each.role, "content": each.text} for each in earlier[-_MOST_EARLIER:]]
            self._put("earlier_turns", told, origin)
        if own := _as_text(self._own("user_text")):
            return own, f"{OWN}user_text"
        if text := self._text(self._turn, "input"):
            return text, "input.value"
        return last, origin

    def _input_messages(self) -> tuple[list[ChatMessage], str]:
        for span in self._nearest:
            if found := openinference_messages(span, "llm.input_messages", self._note):
                return found, "llm.input_messages"
            if found := genai_messages(span, "gen_ai.input.messages", self._note):
                return found, "gen_ai.input.messages"
        return [], ""

    # What the model was given.

    def _context(self) -> tuple[dict[str, Any], str]:
        own = self._own("context")
        if own is not None and not isinstance(own, dict):
            self._find(TraceFinding.CONTEXT_NO_OBJECT)
        if isinstance(own, dict):
            return _in_sections(own), f"{OWN}context"
        variables, origin = self._first(self._nearest, "llm.prompt_template.variables")
        read = parsed(variables)
        if variables is not None and not isinstance(read, dict):
            self._find(TraceFinding.VARIABLES_NO_OBJECT)
        sections = _in_sections(read) if isinstance(read, dict) else {}
        results = self._results(sections)
        origins = [*([origin] if sections else []), *(["results of tools"] if results else [])]
        return {**results, **sections}, " and ".join(origins)

    def _results(self, taken: Container[str]) -> dict[str, Any]:
        """Return the results of tools that are objects, each as a section of the tool's name, or of another if that is taken."""
        found: dict[str, Any] = {}
        numbers: dict[str, int] = {}
        for span in self._tools():
            result = parsed(self._tool_part(span, "output.value", "gen_ai.tool.call.result"))
            if isinstance(result, dict) and result:
                name = base = _as_text(self._tool_part(span, "tool.name", "gen_ai.tool.name")) or "tool"
                while name in found or name in taken:
                    numbers[base] = numbers.get(base, 1) + 1  # from where the last one of this name stopped: there may be thousands
                    name = f"{base} {numbers[base]}"
                found[name] = result
        return found

    def _tools(self) -> list[SpanValues]:
        return [span for span in self._below if _is_tool(span)][:MOST_TOOL_CALLS]

    def _tool_part(self, span: SpanValues, *names: str) -> Any:
        return self._first([span], *names)[0]

    def _documents(self) -> tuple[list[Any], str]:
        own = self._own("documents")
        if isinstance(own, list):
            return self._cut(own, MOST_DOCUMENTS), f"{OWN}documents"
        if own is not None:
            self._find(TraceFinding.DOCUMENTS_NO_LIST)
        for prefix in ("reranker.output_documents", "retrieval.documents"):
            if found := self._numbered_documents(prefix):
                return self._cut(found, MOST_DOCUMENTS), prefix
        listed = [each for span in self._spans() for each in as_list(parsed(self._value(span, "gen_ai.retrieval.documents")))]
        return self._cut([_document(each) for each in listed if isinstance(each, dict)], MOST_DOCUMENTS), "gen_ai.retrieval.documents"

    def _spans(self) -> Sequence[SpanValues]:
        return [self._turn, *self._below]

    def _numbered_documents(self, prefix: str) -> list[dict[str, Any]]:
        given = [each for span in self._spans() for each in numbered(span.attributes, prefix, self._note)]
        found = [_document({name.removeprefix("document."): value for name, value in each.items()}) for each in given]
        distinct = {(str(each.get("id")), str(each.get("content"))): each for each in reversed(found)}
        return list(reversed(distinct.values()))

    def _cut(self, found: list[Any], most: int) -> list[Any]:
        if len(found) > most:
            self._find(TraceFinding.TOO_MANY)
        return found[:most]

    def _tool_calls(self) -> tuple[list[Any], str]:
        own = self._own("tool_calls")
        if isinstance(own, list):
            return self._cut(own, MOST_TOOL_CALLS), f"{OWN}tool_calls"
        return [self._tool_call(span) for span in self._tools()], "spans of tools"

    def _tool_call(self, span: SpanValues) -> dict[str, Any]:
        told = {
            "id": self._tool_part(span, "tool_call.id", "tool.id", "gen_ai.tool.call.id") or span.id.hex(),
            "name": self._tool_part(span, "tool.name", "gen_ai.tool.name"),
            "parameters": self._arguments(span),
            "output": parsed(self._tool_part(span, "output.value", "gen_ai.tool.call.result")),
        }
        return {name: value for name, value in told.items() if value is not None}

    def _arguments(self, span: SpanValues) -> Any:
        """Return what a tool was called with. OpenInference's ``tool.parameters`` can instead describe what it may be called with."""
        given = parsed(self._tool_part(span, "tool.parameters", "gen_ai.tool.call.arguments"))
        is_described = isinstance(given, dict) and given.get("type") == "object" and isinstance(given.get("properties"), dict)
        return parsed(self._tool_part(span, "input.value")) if given is None or is_described else given

    # Names and the time.

    def _name(self, name: str) -> tuple[str, str]:
        value, origin = self._first([*self._nearest, *self._trace.spans], OWN + name)
        if value is None:
            value, origin = self._first([*self._nearest, *self._trace.spans], *_NAMES[name])
        text = _as_text(value)
        if name == "prompt_version" and origin.startswith("gen_ai."):
            text = " ".join(each for each in (_as_text(self._first(self._nearest, "gen_ai.prompt.name")[0]), text) if each)
        elif name == "prompt_version" and not text:
            value, origin = self._first(self._nearest, "gen_ai.prompt.name")
            text = _as_text(value)
        if len(text) > _LONGEST_NAME or any(character < " " for character in text):
            self._find(TraceFinding.NAME_LEFT_OUT)
            return "", ""
        return text, origin

    def _answered_at(self) -> str | None:
        own = self._own("answered_at")
        if own is not None:
            return _as_text(own)
        try:
            moment = datetime.fromtimestamp(self._turn.ended // 1_000 / 1_000_000, UTC)
        except (ValueError, OverflowError, OSError):
            return None
        return moment.isoformat() if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


def _is_tool(span: SpanValues) -> bool:
    return span.kind in ("TOOL", "execute_tool") or "tool.name" in span.attributes or "gen_ai.tool.call.result" in span.attributes


def _as_text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    return value if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else ""


def _values(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else ()


def _in_sections(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields in sections, as a record has them: objects are sections already, and the others get one of their own."""
    read = {name: parsed(value) for name, value in fields.items()}
    sections = {name: value for name, value in read.items() if isinstance(value, dict)}
    loose = {name: fields[name] if isinstance(fields[name], str) else value for name, value in read.items() if name not in sections}
    if not loose:
        return sections
    given = sections.get(_PROMPT_SECTION, {})
    return {**sections, _PROMPT_SECTION: {**loose, **given}}


_METADATA = ("title", "url", "uri", "published_at", "chunk_id")


def _document(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the fields that a record's has, also those that its metadata name."""
    metadata = parsed(given.get("metadata"))
    told = {name: metadata[name] for name in _METADATA if name in metadata} if isinstance(metadata, dict) else {}
    if isinstance(metadata, dict) and "url" not in told and isinstance(metadata.get("source"), str):
        told["uri"] = metadata["source"]
    plain = {name: value for name, value in (told | dict(given)).items() if name != "metadata" and isinstance(value, (str, int, float))}
    content = plain.get("content")
    if isinstance(content, (int, float)):
        plain["content"] = str(content)
    return plain
