"""Typeset a document. A long one is typeset in a process of its own, whose memory (over a megabyte a page) is freed when it ends.

The process runs this file on its own, so it imports nothing of the site. It may use so much processor time and memory: some documents take
longer the longer they are, and a worker does few jobs at once.
"""

from __future__ import annotations

import json
import resource
import signal
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
    """The input of the typesetter: a template, the folder that it may read, its texts, and the document's date as a Unix timestamp."""

    template: str
    root: str
    texts: Mapping[str, str]
    moment: int


MOST_SECONDS = 600
"""The processor time for a long document. A volume takes a minute."""

MOST_MEMORY = 6 * 1024**3
"""The memory for a long document, with what is reserved and not used. A volume takes half a gigabyte."""

_ENDED = (-signal.SIGXCPU, -signal.SIGABRT)
"""How the process ends that has used up either."""


class TooLong(Exception):  # noqa: N818 — the document has no error
    """The document would take too long to typeset, or too much memory."""


def typeset(sheets: Sheets, *, is_long: bool = False) -> bytes:
    """Return the document as PDF. Raise ``TooLong``, ``CalledProcessError`` or ``RuntimeError`` if that fails."""
    if not is_long:
        return _compiled(sheets)
    told = json.dumps(asdict(sheets)).encode()
    program = [sys.executable, "-I", __file__, str(MOST_SECONDS), str(MOST_MEMORY)]
    done = subprocess.run(program, input=told, stdout=subprocess.PIPE, check=False)  # noqa: S603 — this file
    if done.returncode in _ENDED:
        raise TooLong
    done.check_returncode()
    return done.stdout


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
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
    sys.stdout.buffer.write(_compiled(Sheets(**json.load(sys.stdin))))
