"""The user's question and the answer's reply to it: context for reading an answer, never a source of citations."""

from __future__ import annotations

from attribution.dialogue.questions import Exchange, Question, exchanges, tail
from attribution.dialogue.replies import Reply, Utterance

__all__ = ["Exchange", "Question", "Reply", "Utterance", "exchanges", "tail"]
