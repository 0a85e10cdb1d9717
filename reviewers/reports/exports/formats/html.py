"""A report as one self-contained HTML file, without scripts and external resources, and the charts of reports."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from reviewers.calibration.charts import Diagram, reliability_diagram
from reviewers.reports.exports.formats.cover import (
    HOW_TO_CHECK,
    TERMS,
    contents_line,
    facts_of,
    figures_of,
    opening_of,
    unchecked_in,
    unchecked_of,
)
from reviewers.reports.exports.formats.wording import (
    agreed,
    calibration,
    combination,
    decisions_in,
    event_in_words,
    finding_title,
    found_by,
    rows_in_order,
    shortly,
    state_in_words,
    sureness,
    verdict_in_words,
)
from reviewers.reports.exports.report import Answer, Closing, Header, Part, gather, pieces
from reviewers.reports.exports.schema import Calibrated, Group
from reviewers.snapshots.field_labels import label_of

_ALONE = """<style>text{font:12px sans-serif;fill:#565d63}.grid{stroke:#d5d0c4}.ideal{stroke:#8c877a;stroke-dasharray:4 4;fill:none}
.band{fill:#1f5f8b;fill-opacity:.18;stroke:#1f5f8b;stroke-opacity:.5}.in{fill:#1f5f8b}.out{fill:#fff;stroke:#a1261d;stroke-width:2.5}</style>"""
"""The style of a chart outside of a page."""

_STYLE = settings.ROOT / "templates" / "reports" / "report.css"


@dataclass(frozen=True, slots=True)
class Picture:
    """A diagram, the name of its profile, and its name in the file."""

    name: str
    profile: str
    diagram: Diagram

    @property
    def words(self) -> str:
        """The diagram in words."""
        return f"{self.diagram.title}. {self.diagram.description}"


def pictures_of(end: Closing) -> list[Picture]:
    """Return a chart for each profile that has figures, no matter how many combinations it belongs to."""
    profiles = {each.profile: each for each in end.calibration if each.groups}
    drawn = [(profile, _diagram(each)) for profile, each in profiles.items()]
    return [Picture(f"curve-{number}", profile, diagram) for number, (profile, diagram) in enumerate(drawn, start=1) if diagram]


def svg_of(picture: Picture) -> str:
    """Return the chart as a file of its own."""
    drawn = render_to_string("calibration/curve.svg", {"diagram": picture.diagram, "name": picture.name})
    return drawn.replace("<title", f"{_ALONE}<title", 1)


def _diagram(calibrated: Calibrated) -> Diagram | None:
    return reliability_diagram([_mark(each) for each in calibrated.groups])


def _mark(each: Group) -> dict[str, Any]:
    chance = (each.low, each.high)
    return {"forecast": each.confidence, "share": each.right, "labels": each.labels, "consistent": chance, "inside": each.is_inside}


def write_html(parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield the page. Its cover and its contents stand before the answers, whose bytes are kept until then."""
    report = gather(parts)
    contents, articles = page_parts(report.answers)
    yield from assemble_page(report.header, report.closing, [contents], [articles])


def page_parts(answers: Iterable[Answer]) -> tuple[bytes, bytes]:
    """Return the lines of contents of some answers, and the answers."""
    lines, articles = [], []
    for answer in answers:
        lines.append(_render("contents", line=contents_line(answer)))
        articles.append(_article(answer))
    return b"".join(lines), b"".join(articles)


def assemble_page(head: Header, end: Closing, contents: Iterable[bytes], articles: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the whole page from its pieces."""
    style = _style()
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    told = {"facts": facts_of(head, end), "opening": opening_of(end), "figures": figures_of(end), "unchecked": list(unchecked_in(end))}
    words = {"how_to_check": HOW_TO_CHECK, "terms": TERMS}
    yield _render("head", head=head, end=end, style=style, style_digest=f"sha256-{digest}", **told, **words)
    yield from contents
    yield _render("between", end=end)
    yield from articles
    profiles = [(combination(each), calibration(each)) for each in end.calibration]
    yield _render("end", end=end, pictures=pictures_of(end), agreement=list(map(agreed, end.agreement)), calibration=profiles)


def _article(answer: Answer) -> bytes:
    return _render(
        "answer",
        answer=answer,
        pieces=pieces(answer.text, answer.notes),
        rows=rows_in_order(answer),
        decisions=decisions_in(answer),
        unchecked=list(unchecked_of(answer)),
        state=state_in_words(answer),
        **_WORDS,
    )


_WORDS = {
    "found_by": found_by,
    "shortly": shortly,
    "label_of": label_of,
    "finding_title": finding_title,
    "event_in_words": event_in_words,
    "sureness": sureness,
    "verdict_in_words": verdict_in_words,
}
"""The functions that the template of an answer uses."""


def _render(name: str, **context: Any) -> bytes:
    return render_to_string(f"reports/report/{name}.html", context).encode("utf-8", "replace")


@cache
def _style() -> SafeString:
    """Return the style sheet, which is ours and needs no escaping."""
    return mark_safe(_STYLE.read_text(encoding="utf-8"))  # noqa: S308 — a file of our own
