"""Protected text in files: what is invisible is made visible, what a program would run is made harmless."""

from __future__ import annotations

import re

from reviewers.web.templatetags.text import named_in_brackets

_FORMULA = re.compile(r"[\s\x00-\x20]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]")
_PLAIN = re.compile("[A-Za-z0-9][\t\n -~\xa1-\xac\xae-\u024f\u2010-\u2027]*")
"""Most cells: no formula, and nothing in them that would be named."""
_NUMBER = re.compile(r"[+-]?\d[\d.,]*%?", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 60


def visible(text: str) -> str:
    """A text with control, zero-width and bidirectional characters named in brackets; line ends stay."""
    return named_in_brackets(text.replace("\r\n", "\n"))


def cell(text: str) -> str:
    """A text for a cell of a spreadsheet: nothing in it is taken for a formula, which an apostrophe before it says."""
    if not text or _PLAIN.fullmatch(text):
        return text
    shown = visible(text)
    if _FORMULA.match(shown) and not _NUMBER.fullmatch(shown):
        return f"'{shown}"
    return shown


def file_name(title: str, ending: str) -> str:
    """A name for a file: plain letters, digits and dashes, so that it is no path and no command anywhere."""
    plain = _UNSAFE.sub("-", title.encode("ascii", "replace").decode())[:_LONGEST_NAME].strip("-_")
    return f"footnote-{plain or 'report'}.{ending}".lower()
