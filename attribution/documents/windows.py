"""A window of a passage as claims are held against it: read once, however many claims find their best sentences there."""

from __future__ import annotations

from attribution.documents.changes import telling_words
from attribution.documents.transcript import Transcript


class Window:
    """The text of a window; its denials and figures, and its transcript, are worked out when they are first asked for."""

    __slots__ = ("_telling", "_transcript", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._telling: frozenset[str] | None = None
        self._transcript: Transcript | None = None

    @property
    def telling(self) -> frozenset[str]:
        """The denials and figures that stand in it."""
        if self._telling is None:
            self._telling = telling_words(self.text)
        return self._telling

    @property
    def transcript(self) -> Transcript:
        """The window as quotes are compared with it."""
        if self._transcript is None:
            self._transcript = Transcript(self.text)
        return self._transcript
