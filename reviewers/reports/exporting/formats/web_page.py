"""A report as one HTML file that needs nothing else: no script, no image, no address is ever asked."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from reviewers.reports.exporting.formats.charts import pictures_of
from reviewers.reports.exporting.model import Answer, Header, Part
from reviewers.reports.exporting.notes import pieces

_TEMPLATE = "reports/report.html"


def write_html(parts: Iterable[Part]) -> Iterator[bytes]:
    """The page, part by part."""
    for part in parts:
        name, context = _drawn(part)
        yield render_to_string(f"{_TEMPLATE}#{name}", context).encode("utf-8", "replace")


def _drawn(part: Part) -> tuple[str, dict[str, Any]]:
    if isinstance(part, Answer):
        return "answer", {"answer": part, "pieces": pieces(part.text, part.notes)}
    if isinstance(part, Header):
        style = _style()
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        return "head", {"head": part, "style": style, "style_digest": f"sha256-{digest}"}
    return "end", {"end": part, "pictures": pictures_of(part)}


@cache
def _style() -> SafeString:
    """The style, which is ours and in no need of escaping."""
    return mark_safe(render_to_string("reports/report.css"))  # noqa: S308 — a file of our own
