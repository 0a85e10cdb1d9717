"""Findings on a turn of another tool, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reviewers.snapshots.otlp.wording import FINDING_WORDS, Finding

TOOL_WORDS: Mapping[str, tuple[str, str]] = {
    "langfuse": ("trace", "footnote.context in the trace's metadata"),
    "langsmith": ("run", "footnote.context in extra.metadata, or the variables of a prompt template"),
    "phoenix": ("trace", "footnote.context or llm.prompt_template.variables of a span"),
    "openai": ("completion", "the results of tools, or footnote.context in the metadata"),
    "label-studio": ("task", "an object context in the task's data"),
}
"""Each tool's noun for a turn, and the place where a context is read from its exports."""

_WORDS = {
    Finding.NO_CONTEXT: "No context in this {noun}: it is read from {place}; or name its path in a mapping file.",
    Finding.NO_QUESTION: "No message of the user in this {noun}: name its path as user_text in a mapping file.",
    Finding.NO_MODEL: "No model in this {noun}: name its path in a mapping file.",
    Finding.NO_PROMPT_VERSION: "No prompt version in this {noun}: name its path in a mapping file.",
    Finding.SEVERAL_TEXTS: (
        "A value in this {noun} holds several texts, so none was used: name the path of response or user_text in a mapping file."
    ),
    Finding.CONTEXT_NO_OBJECT: "The context of this {noun} is no JSON object, so it was not used.",
    Finding.VARIABLES_NO_OBJECT: "The variables of the prompt are no JSON object, so they were not used.",
    Finding.DOCUMENTS_NO_LIST: "The documents of this {noun} are no JSON list, so they were not used.",
    Finding.SEVERAL_ROOTS: "This {noun} has several beginnings; the first of them with an answer was used.",
}
_NO_ANSWER = "no answer in this {noun}; if it has one, name its path as response in a mapping file"


def import_findings(tool: object, values: Iterable[object]) -> list[str]:
    """Return the findings about a turn that came from a tool, in words. Values that are none are left out."""
    if not isinstance(tool, str) or tool not in TOOL_WORDS:
        return []
    noun, place = TOOL_WORDS[tool]
    given = {value for value in values if isinstance(value, str)}
    return [_WORDS.get(each, FINDING_WORDS[each]).format(noun=noun, place=place) for each in Finding if each.value in given]


def no_answer(tool: str) -> str:
    """Return the reason why an exported object is no turn."""
    noun, _ = TOOL_WORDS[tool]
    return _NO_ANSWER.format(noun=noun)
