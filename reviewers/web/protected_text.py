"""Template filters for protected text: escaped, with invisible characters made visible."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, final

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe


@final
class Mask(str):
    """A mask, recognised by its type: somebody may have written the same words. A slice of all of it is a mask too."""

    __slots__ = ()

    def __str__(self) -> str:
        return self

    @property
    def plain(self) -> str:
        """The words of the mask."""
        return str.__str__(self)

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        return self if part == self else part


MASK = Mask("[masked]")
"""The mask, of one length for every text."""


# Template filters for protected text: escaped, with invisible characters made visible.

_SUSPECTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f"
    "\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_SHORT_NAMES = {
    0x00: "NUL",
    0x0D: "CR",
    0x1B: "ESC",
    0xAD: "SHY",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
}
_JOINS_EMOJI = frozenset({0x200D, 0xFE0F, 0xFE0E})
_ORDINARY = frozenset({0x202F, 0x3000})
"""Spaces with a visible width."""


def shown(text: str) -> SafeString:
    """Return a text for a page: escaped, with invisible characters as chips that name them, and a mask as a mask."""
    if isinstance(text, Mask):
        return mark_safe('<span class="masked">masked</span>')
    return mark_safe("".join(_pieces(text, _chip)))  # noqa: S308 — every piece is escaped or a chip


def plain(text: str) -> SafeString:
    """Return a text for an attribute, which cannot hold chips: escaped, with invisible characters named in brackets."""
    return mark_safe("".join(_pieces(text, lambda code: f"[{_short_name(code)}]")))  # noqa: S308 — every piece is escaped or a name


def named_in_brackets(text: str) -> str:
    """Return a text for a file: not escaped, with invisible characters named in brackets."""
    return "".join(_pieces(text, lambda code: f"[{_short_name(code)}]", str))


def _pieces(text: str, name: Callable[[int], str], write: Callable[[str], str] = escape) -> Iterator[str]:
    begin = 0
    for match in _SUSPECTS.finditer(text):
        code = ord(match.group())
        if code in _ORDINARY or (code in _JOINS_EMOJI and _is_emoji_before(text, match.start())):
            continue
        yield write(text[begin : match.start()])
        yield name(code)
        begin = match.end()
    yield write(text[begin:])


def _is_emoji_before(text: str, place: int) -> bool:
    """Return True if a joiner or selector belongs to an emoji, which it shapes."""
    return place > 0 and (unicodedata.category(text[place - 1]) in ("So", "Sk") or ord(text[place - 1]) in _JOINS_EMOJI)


def _chip(code: int) -> str:
    name = unicodedata.name(chr(code), "a character without a name").lower()
    return f'<span class="chip" title="U+{code:04X} {escape(name)}">{_short_name(code)}</span>'


def _short_name(code: int) -> str:
    return _SHORT_NAMES.get(code, f"U+{code:04X}")
