"""Answers with documents, one of each validity and with each failed check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.factories import CITED

_DOCUMENTS = {"documents": CITED["documents"], "context": {}}
GREEN: Mapping[str, Any] = {"response": "Whoever takes other medicines should ask first [2]. Coffee keeps awake [3].", **_DOCUMENTS}
RED: Mapping[str, Any] = {"response": "Rest helps.", **_DOCUMENTS}
OPPOSED: Mapping[str, Any] = {"response": "Whoever takes other medicines should not ask first [2]. Coffee keeps awake [3].", **_DOCUMENTS}
QUOTED: Mapping[str, Any] = {
    "response": "Coffee keeps awake.",
    "citations": [{"sourceId": "sleep-7", "quote": "Melatonin helps some people."}],
    **_DOCUMENTS,
}
UNQUOTED: Mapping[str, Any] = {
    "response": "Coffee keeps awake.",
    "citations": [{"sourceId": "sleep-7", "quote": "Sleep is for owls."}],
    **_DOCUMENTS,
}
UNSUPPORTED: Mapping[str, Any] = CITED
"""Its source has another figure, which is an opposite as well."""
WITHHELD: Mapping[str, Any] = OPPOSED | {"abstention_reason": "not sure enough"}
ASKS_BACK: Mapping[str, Any] = {"response": "Which one do you mean?", "abstention_reason": "not sure enough", **_DOCUMENTS}
