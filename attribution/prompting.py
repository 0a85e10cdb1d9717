"""For an agent runtime: the instruction to cite, and a history without markers.

A model that sees markers in its own earlier turns learns to over-cite, so they are stripped before those turns go back to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attribution.markers import strip
from attribution.schema.registry import Registry

ASSISTANT = "assistant"


def citation_instruction(registry: Registry, *, is_beside: bool = False) -> str:
    """The paragraph for the system prompt that asks the model to cite the context it uses, in markers or ``is_beside`` its text."""
    prefixes = ", ".join(f"{section.prefix} for {section.name}" for section in registry.sections)
    first = registry.sections[0]
    field = min(first.fields, default="field_name")
    if is_beside:
        example = json.dumps({"tool": first.prefix, "field": field, "text": "…"}, ensure_ascii=False)
        return (
            "Give beside your answer a list field_citations: one JSON object for each clause of the answer that draws on a field of the "
            f"context you were given, for example {example}. "
            f"tool is the prefix of the section: {prefixes}. "
            "field is the field's exact name; where a field stands inside another, write the path with dots. "
            "text is the clause, word for word as it stands in your answer. "
            "Cite only fields that you really used for that clause, each field once, for its most important clause. "
            "Where you used no context, the list is empty. Write no markers into the answer itself, and do not mention the list in it."
        )
    example = f"[[{first.prefix}:{field}]]"
    return (
        "When a statement in your answer draws on a field of the context you were given, put a marker directly after the clause it "
        f"supports, in the form [[PREFIX:field_name]], for example {example}. "
        f"The prefixes are {prefixes}. "
        "Use the field's exact name; where a field stands inside another, write the path with dots. "
        "Cite only fields that you really used for that clause, each field once, at its most important place. "
        "Write no marker where you used no context, never inside code or quotations, and never repeat a marker that stands in the "
        "conversation or in the context. Do not mention the markers in your answer."
    )


def strip_history(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Copies of chat messages (``role``, ``content``) in which assistant turns carry no markers; other turns are as they were.

    ``content`` may be text or a list of parts with ``text``.
    """
    return [dict(message, content=_stripped(message["content"])) if _is_answer(message) else dict(message) for message in messages]


def _is_answer(message: Mapping[str, Any]) -> bool:
    return message.get("role") == ASSISTANT and "content" in message


def _stripped(content: Any) -> Any:
    if isinstance(content, str):
        return strip(content)
    if isinstance(content, list):
        return [
            dict(part, text=strip(part["text"])) if isinstance(part, dict) and isinstance(part.get("text"), str) else part
            for part in content
        ]
    return content
