"""For an agent runtime: the instruction to cite, and a history without markers.

A model that sees markers in its own earlier turns learns to over-cite, so they are stripped before those turns go back to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attribution.markers import strip
from attribution.schema.registry import Registry

ASSISTANT = "assistant"


def citation_instruction(registry: Registry) -> str:
    """The paragraph for the system prompt that asks the model to cite the context it uses."""
    prefixes = ", ".join(f"{section.prefix} for {section.name}" for section in registry.sections)
    first = registry.sections[0]
    example = f"[[{first.prefix}:{min(first.fields)}]]" if first.fields else f"[[{first.prefix}:field_name]]"
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
