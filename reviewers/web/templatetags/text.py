"""Protected text on a page: escaped, isolated, with what is invisible made visible."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from html import escape

from django import template
from django.utils.safestring import SafeString

from reviewers.web.masks import Mask

register = template.Library()

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
"""Spaces that have a width of their own."""


@register.filter
def shown(text: str) -> SafeString:
    """A text as it may stand on a page: escaped, characters without a shape of their own as chips that name them, a mask as a mask."""
    if isinstance(text, Mask):
        return SafeString('<span class="masked">masked</span>')
    return SafeString("".join(_pieces(text, _chip)))  # every piece is escaped or a chip


@register.filter
def plain(text: str) -> SafeString:
    """The same for an attribute, in which no chip can stand: characters without a shape are named in brackets."""
    return SafeString("".join(_pieces(text, lambda code: f"[{_short_name(code)}]")))  # every piece is escaped or a name


def named_in_brackets(text: str) -> str:
    """The same where nothing needs escaping, as in a file: the text itself, characters without a shape named in brackets."""
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
    """Whether a joiner or selector belongs to an emoji, which it shapes."""
    return place > 0 and (unicodedata.category(text[place - 1]) in ("So", "Sk") or ord(text[place - 1]) in _JOINS_EMOJI)


def _chip(code: int) -> str:
    name = unicodedata.name(chr(code), "a character without a name").lower()
    return f'<span class="chip" title="U+{code:04X} {escape(name)}">{_short_name(code)}</span>'


def _short_name(code: int) -> str:
    return _SHORT_NAMES.get(code, f"U+{code:04X}")
