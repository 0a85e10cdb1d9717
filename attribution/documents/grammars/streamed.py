"""Shows the text of an answer object while the object still arrives."""

from __future__ import annotations

import json
import re

from attribution.codec import read_json
from attribution.documents.grammars.answer_object import answer_text, is_answer_object
from attribution.errors import InputError
from attribution.markers.grammar import Stripper

_SHOWN = frozenset({"answer", "text", "response"})
_FENCE = r"(?:(?:```|~~~)[ \t]{0,9}\w{0,20}[ \t]{0,9}\n?\s{0,40})?"
"""Bounded: what may be one is held back and looked at again with each piece."""
_BEGINNING = re.compile(rf"\n([ \t]{{0,40}}{_FENCE})\{{")
_PERHAPS = re.compile(rf"\n[ \t]{{0,40}}(?:[`~]{{1,2}}|{_FENCE})\Z")
_FENCE_BEHIND = re.compile(r"\A\s{0,40}(?:```|~~~)[ \t]{0,9}(?=\n|\Z)")
_FENCE_BEGUN = re.compile(r"\A\s{0,40}(?:[`~]{0,3}|(?:```|~~~)[ \t]{0,9})\Z")
_LENGTH_OF_CODE = len("\\u0000")
_HIGH = re.compile(r"\\u[dD][89abAB]..\Z")


class AnswerStream:
    """Takes an answer in pieces and returns what people can be shown of it, without markers of fields.

    Of an answer object that begins a line, in a fence or not, it is the text, as it arrives; of one that has no text the sentences of its
    claims, when it ends. Prose around it, and any other object, is shown as it is. White space around an object may differ from that of the
    clean text, and marks of citations in the text are shown. An object that has a text is taken for one before its citations are seen.
    """

    def __init__(self) -> None:
        self._stripper = Stripper()
        self._begin()

    def _begin(self) -> None:
        self._held = ""
        self._last = "\n"
        self._object: _Object | None = None
        self._is_behind = False

    def feed(self, delta: str) -> str:
        """Take the next piece; return what can be shown now."""
        return self._stripper.feed(self._read(delta))

    def finish(self) -> str:
        """The answer has ended; return what was held back. An object that did not end and has no text yet is shown as it is."""
        rest = self._held if self._object is None else self._object.rest()
        if self._is_behind:
            rest = _FENCE_BEHIND.sub("", rest)
        shown = self._stripper.feed(rest) + self._stripper.finish()
        self._begin()
        return shown

    def _read(self, delta: str) -> str:
        shown: list[str] = []
        while delta:
            if self._object is None:
                delta = self._read_prose(delta, shown)
                continue
            told, delta = self._object.feed(delta)
            shown.append(told)
            if self._object.has_ended:
                self._is_behind, self._last = self._object.is_fenced and self._object.has_shown, " "
                self._object = None
        return "".join(shown)

    def _read_prose(self, delta: str, shown: list[str]) -> str:
        """Add the prose that can be shown; return what belongs to an object that it leads to."""
        text, self._held = self._held + delta, ""
        if self._is_behind:
            if _FENCE_BEGUN.match(text):
                self._held = text
                return ""
            text, self._is_behind = _FENCE_BEHIND.sub("", text), False
        looked_at = self._last + text
        begun = _BEGINNING.search(looked_at)
        if begun:
            before = looked_at[len(self._last) : begun.start(1)] if begun.start(1) > len(self._last) else ""
            shown.append(before)
            self._object = _Object(begun[1], is_fenced=bool(begun[1].strip()))
            return looked_at[begun.end() - 1 :]
        perhaps = _PERHAPS.search(looked_at)
        cut = max(perhaps.start(), len(self._last)) if perhaps else len(looked_at)
        shown.append(looked_at[len(self._last) : cut])
        self._held = looked_at[cut:]
        if cut > len(self._last):
            self._last = looked_at[cut - 1]
        return ""


class _Object:
    """An object as far as it has arrived; ``lead`` is the white space and the fence before it."""

    def __init__(self, lead: str, *, is_fenced: bool) -> None:
        self.is_fenced = is_fenced
        self.has_ended = False
        self._raw = [lead]
        self._depth = 0
        self._string: list[str] | None = None
        self._escape = ""
        self._key = ""
        self._is_value = False
        self._is_shown = False
        self.has_shown = False

    def rest(self) -> str:
        """Return what there is to show of an object that did not end."""
        return "" if self.has_shown or (self._is_shown and self._string) else "".join(self._raw)

    def feed(self, text: str) -> tuple[str, str]:
        """Return what can be shown of its text, and what comes behind the object."""
        shown: list[str] = []
        for place, character in enumerate(text):
            self._raw.append(character)
            if self._string is not None:
                shown.append(self._within_string(character))
            elif character == '"':
                self._string = []
                self._is_shown = self._depth == 1 and self._is_value and self._key in _SHOWN and not self.has_shown
            else:
                self._between(character)
            if not self._depth:
                self.has_ended = True
                return "".join([*shown, "" if self.has_shown else self._whole()]), text[place + 1 :]
        return "".join(shown), ""

    def _between(self, character: str) -> None:
        if character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1
        elif self._depth == 1 and character in ":,":
            self._is_value = character == ":"

    def _within_string(self, character: str) -> str:
        """Return what a character of a string adds to the text that is shown."""
        if self._escape or character == "\\":
            return self._within_escape(character)
        if character != '"':
            return self._add(character)
        if self._depth == 1 and not self._is_value:
            self._key = "".join(self._string or ())
        self.has_shown = self.has_shown or (self._is_shown and bool(self._string))
        self._string = None
        return ""

    def _within_escape(self, character: str) -> str:
        """Read an escape; the first half of a character that is written in two waits for the second."""
        if _HIGH.match(self._escape) and character != "\\":
            first, self._escape = self._escape, ""
            return self._add(_decoded(first)) + self._within_string(character)
        self._escape += character
        last = self._escape[self._escape.rindex("\\") :] if self._escape[-2:] != "\\\\" else self._escape[-2:]
        if last == "\\" or (last[1] == "u" and len(last) < _LENGTH_OF_CODE) or _HIGH.match(self._escape):
            return ""
        whole, self._escape = self._escape, ""
        return self._add(_decoded(whole))

    def _add(self, text: str) -> str:
        if self._string is not None and (self._is_shown or not self._is_value):
            self._string.append(text)
        return text if self._is_shown else ""

    def _whole(self) -> str:
        """Return the sentences of the claims of an object without a text, or the object as it is written."""
        raw = "".join(self._raw)
        try:
            value = read_json(raw[len(self._raw[0]) :].encode("utf-8", "surrogatepass"))
        except InputError:
            return raw
        if not is_answer_object(value):
            return raw
        self.has_shown = True
        return answer_text(value)


def _decoded(escape: str) -> str:
    try:
        return str(json.loads(f'"{escape}"'))
    except ValueError:
        return escape
