"""The outcomes of traces, in words."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class NoTurn(StrEnum):
    """The reasons why a trace is no turn."""

    ROOT_MISSING = "root_missing"
    NO_ANSWER = "no_answer"


class TraceFinding(StrEnum):
    """Findings about a trace that became a snapshot. They are kept with it: a value never changes its meaning."""

    NO_CONTEXT = "no_context"
    NO_QUESTION = "no_question"
    NO_MODEL = "no_model"
    NO_PROMPT_VERSION = "no_prompt_version"
    CONTEXT_NO_OBJECT = "context_no_object"
    VARIABLES_NO_OBJECT = "variables_no_object"
    DOCUMENTS_NO_LIST = "documents_no_list"
    SEVERAL_TEXTS = "several_texts"
    SEVERAL_TURNS = "several_turns"
    SEVERAL_ROOTS = "several_roots"
    SEVERAL_KEYS = "several_keys"
    ATTRIBUTE_TWICE = "attribute_twice"
    REST_ONLY = "rest_only"
    NAME_LEFT_OUT = "name_left_out"
    TOO_MANY = "too_many"


NO_TURN_WORDS = {
    NoTurn.ROOT_MISSING: "No turn: its root did not come in time. Set footnote.turn on the span that has the answer.",
    NoTurn.NO_ANSWER: (
        "No turn: its root has no answer. Set footnote.response or output.value there, or footnote.turn on the span that has the answer."
    ),
}

FINDING_WORDS = {
    TraceFinding.NO_CONTEXT: "No context in this trace: set footnote.context, or llm.prompt_template.variables.",
    TraceFinding.NO_QUESTION: "No message of the user in this trace: set input.value, or gen_ai.input.messages.",
    TraceFinding.NO_MODEL: "No model in this trace: set llm.model_name, or gen_ai.response.model.",
    TraceFinding.NO_PROMPT_VERSION: "No prompt version in this trace: set llm.prompt_template.version, or footnote.prompt_version.",
    TraceFinding.CONTEXT_NO_OBJECT: "footnote.context is no JSON object, so it was not used.",
    TraceFinding.VARIABLES_NO_OBJECT: "llm.prompt_template.variables is no JSON object, so it was not used.",
    TraceFinding.DOCUMENTS_NO_LIST: "footnote.documents is no JSON list, so it was not used.",
    TraceFinding.SEVERAL_TEXTS: (
        "A value in JSON holds several texts, so none of them was used: set footnote.response or footnote.user_text."
    ),
    TraceFinding.SEVERAL_TURNS: "Several spans have footnote.turn; the first of them with an answer was used.",
    TraceFinding.SEVERAL_ROOTS: "Several spans have no parent; the first of them with an answer was used.",
    TraceFinding.SEVERAL_KEYS: (
        "Its spans came with several service keys, any of which may have given the answer. "
        "The ledger names the first of them, and the record all."
    ),
    TraceFinding.ATTRIBUTE_TWICE: "A span has an attribute twice; the last was used.",
    TraceFinding.REST_ONLY: (
        "Other spans of this trace came before, and no answer could be made of them, so they were not kept. Context that came with them is "
        "missing."
    ),
    TraceFinding.NAME_LEFT_OUT: "A name is longer than 200 characters or has control characters, so it was left out.",
    TraceFinding.TOO_MANY: "There are more than 1,000 documents or results of tools; the rest was left out.",
}


def findings_in_words(values: Iterable[object]) -> list[str]:
    """Return findings in words. Values that are none are left out: anybody may send a record that names them."""
    known = {finding.value: words for finding, words in FINDING_WORDS.items()}
    return [known[value] for value in values if isinstance(value, str) and value in known]


LATE_WORDS = "{} of its trace came after the answer was frozen, and {} not part of it."


def late_in_words(count: int) -> str:
    """Return how many spans came late; an empty string if none did."""
    if not count:
        return ""
    return LATE_WORDS.format("One span" if count == 1 else f"{count:,} spans", "is" if count == 1 else "are")
