"""A tool's export as a reader: its objects, the turn that each belongs to, its spans, its scores, and its findings in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from reviewers.snapshots.otlp.spans import SpanValues
from reviewers.snapshots.otlp.wording import FINDING_WORDS, TraceFinding

JSONObject = Mapping[str, Any]


class Belonging(NamedTuple):
    """The turn that an object belongs to. One that only knows the span that it is ``about`` belongs to the turn that has it.

    ``spans`` are the identifiers of spans that the object brings.
    """

    turn: str
    about: str = ""
    spans: Sequence[str] = ()


class Score(NamedTuple):
    """A score or label by its name, as the tool has it."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Tool:
    """The reader of a tool's exports. ``spans`` returns the spans of a turn: the first is the turn itself unless another has the answer."""

    name: str
    is_known: Callable[[JSONObject], bool]
    belonging: Callable[[JSONObject], Belonging]
    spans: Callable[[str, Sequence[JSONObject]], list[SpanValues]]
    scores: Callable[[Sequence[JSONObject]], list[Score]]


def text(value: Any) -> str:
    """Return an identifier as text; an empty one if there is none."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def with_known_parents(spans: Iterable[SpanValues], top: bytes = b"") -> list[SpanValues]:
    """Return spans of which each has a parent among them, or ``top``: a part of a trace may not have been exported."""
    listed = list(spans)
    known = {span.id for span in listed}
    return [span if span.parent in known and span.parent != span.id else replace(span, parent=top) for span in listed]


# Labels on the fields of a context, from scores that name a field and say true or false.


_TRUTHS = dict.fromkeys(("1", "1.0", "true", "yes", "used", "referenced"), True)
_TRUTHS |= dict.fromkeys(("0", "0.0", "false", "no", "not used", "unused", "not referenced"), False)
_LONGEST = 2_000
_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")


def verdict(value: Any) -> bool | None:
    """Return what a score says of a field: the answer draws on it, or does not; None if it says neither."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    return _TRUTHS.get(value.strip().lower().replace("_", " ")) if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class FieldLabels:
    """Labels by section and path; the names of scores that are none; and the names of fields whose scores contradict each other."""

    labels: Mapping[tuple[str, str], bool]
    left_out: Sequence[str] = ()
    contradicting: Sequence[str] = ()

    def gold(self) -> list[dict[str, Any]]:
        """Return the labels as a labelled turn has them."""
        return [{"section": section, "path": path, "referenced": said} for (section, path), said in self.labels.items()]


def read_labels(scores: Iterable[Score], context: Mapping[str, Any], fields: Mapping[str, str]) -> FieldLabels:
    """Return the labels among scores. A score names a field as ``section.path``; ``fields`` gives the field of other names."""
    said: dict[tuple[str, str], set[bool]] = {}
    left_out: list[str] = []
    for score in scores:
        field, truth = find_field(fields.get(score.name, score.name), context), verdict(score.value)
        if field is None or truth is None:
            left_out.append(score.name)
        else:
            said.setdefault(field, set()).add(truth)
    agreed = {field: next(iter(truths)) for field, truths in said.items() if len(truths) == 1}
    return FieldLabels(agreed, left_out, [".".join(field) for field, truths in said.items() if len(truths) > 1])


def find_field(name: str, context: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the section and path of a field of the context by its whole name, or None. No label is on a name longer than ``_LONGEST``."""
    if len(name) > _LONGEST or _NO_TEXT.search(name):
        return None
    for dot in (at for at, sign in enumerate(name) if sign == "."):
        section, path = name[:dot], name[dot + 1 :]
        if section in context and _is_there(context[section], path.split(".")):
            return section, path
    return None


def _is_there(value: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdecimal() and int(key[:9]) < len(value):
            value = value[int(key[:9])]
        else:
            return False
    return True


# Findings on a turn of a tool, in words.


TOOL_WORDS: Mapping[str, tuple[str, str]] = {
    "langfuse": ("trace", "footnote.context in the trace's metadata"),
    "langsmith": ("run", "footnote.context in extra.metadata, or the variables of a prompt template"),
    "phoenix": ("trace", "footnote.context or llm.prompt_template.variables of a span"),
    "openai": ("completion", "the results of tools, or footnote.context in the metadata"),
    "label-studio": ("task", "an object context in the task's data"),
}
"""Each tool's noun for a turn, and the place where a context is read from its exports."""

_FINDINGS = {
    TraceFinding.NO_CONTEXT: "No context in this {noun}: it is read from {place}; or name its path in a mapping file.",
    TraceFinding.NO_QUESTION: "No message of the user in this {noun}: name its path as user_text in a mapping file.",
    TraceFinding.NO_MODEL: "No model in this {noun}: name its path in a mapping file.",
    TraceFinding.NO_PROMPT_VERSION: "No prompt version in this {noun}: name its path in a mapping file.",
    TraceFinding.SEVERAL_TEXTS: (
        "A value in this {noun} holds several texts, so none was used: name the path of response or user_text in a mapping file."
    ),
    TraceFinding.CONTEXT_NO_OBJECT: "The context of this {noun} is no JSON object, so it was not used.",
    TraceFinding.VARIABLES_NO_OBJECT: "The variables of the prompt are no JSON object, so they were not used.",
    TraceFinding.DOCUMENTS_NO_LIST: "The documents of this {noun} are no JSON list, so they were not used.",
    TraceFinding.SEVERAL_ROOTS: "This {noun} has several beginnings; the first of them with an answer was used.",
}
_NO_ANSWER = "no answer in this {noun}; if it has one, name its path as response in a mapping file"


def import_findings(tool: object, values: Iterable[object]) -> list[str]:
    """Return the findings about a turn that came from a tool, in words. Values that are none are left out."""
    if not isinstance(tool, str) or tool not in TOOL_WORDS:
        return []
    noun, place = TOOL_WORDS[tool]
    given = {value for value in values if isinstance(value, str)}
    return [_FINDINGS.get(each, FINDING_WORDS[each]).format(noun=noun, place=place) for each in TraceFinding if each.value in given]


def no_answer(tool: str) -> str:
    """Return the reason why an exported object is no turn."""
    noun, _ = TOOL_WORDS[tool]
    return _NO_ANSWER.format(noun=noun)
