"""Typesets a document. A long one in a process of its own: what that takes, over a megabyte a page, goes back with its end.

The process runs this file alone, so it imports nothing of the site.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import fontpkg_ibm_plex_sans_arabic as arabic
import typst
from pylopdf_fonts_he import sans_path as hebrew
from pylopdf_fonts_zh_cn import sans_path as chinese

STANDARDS: list[Literal["a-3a", "ua-1"]] = ["a-3a", "ua-1"]
FONTS = [arabic.ROOT, *(path().parent for path in (hebrew, chinese))]


@dataclass(frozen=True, slots=True)
class Sheets:
    """What is typeset: a template with the folder that it may read, its texts, and the second that the document is dated by."""

    template: str
    root: str
    texts: Mapping[str, str]
    moment: int


def typeset(sheets: Sheets, *, is_long: bool = False) -> bytes:
    """The document. Raises ``CalledProcessError`` or ``RuntimeError`` where it cannot be."""
    if not is_long:
        return _compiled(sheets)
    told = json.dumps(asdict(sheets)).encode()
    return subprocess.run([sys.executable, "-I", __file__], input=told, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603 — this file


def _compiled(sheets: Sheets) -> bytes:
    return typst.compile(
        Path(sheets.template),
        root=Path(sheets.root),
        font_paths=FONTS,
        format="pdf",
        sys_inputs=dict(sheets.texts),
        pdf_standards=[*STANDARDS],
        ignore_system_fonts=True,
        timestamp=sheets.moment,
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(_compiled(Sheets(**json.load(sys.stdin))))
