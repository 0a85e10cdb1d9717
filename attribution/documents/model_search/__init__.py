"""Citations found after the fact by a model: what it is asked, and how its reply is read. Who asks it is no matter of the engine."""

from __future__ import annotations

from attribution.documents.model_search.completion import read_completion
from attribution.documents.model_search.finding import find_in_reply
from attribution.documents.model_search.question import REPLY_SCHEMA, ModelQuestion, question_for_model
from attribution.documents.model_search.reply import MalformedReply, read_reply

__all__ = ["REPLY_SCHEMA", "MalformedReply", "ModelQuestion", "find_in_reply", "question_for_model", "read_completion", "read_reply"]
