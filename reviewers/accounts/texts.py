"""The table of protected texts: which kinds each viewer is shown on each surface, as little as each role's work needs.

Every page, list and file that shows such text asks ``hidden_from``. ``manage.py texts`` writes the table to ``texts.md``, and a page shows
it; a generated test looks for a word of each kind on each surface as each viewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from reviewers.accounts.models import Membership, Role
from reviewers.web.protected_text import MASK


class Text(StrEnum):
    """Kinds of protected text."""

    QUESTION = "the user’s message"
    ANSWER = "the answer and its sources"
    CLIENT = "values about the client"
    PROVIDER = "values about the provider"
    NOTES = "notes and reasons that people wrote"
    NAMES = "names of reviewers"
    REFERENCES = "references of clients and conversations"


class TextViewer(StrEnum):
    """The viewers: the roles, an auditor from outside, and a program with a key that may read."""

    REVIEWER = "Reviewer"
    LEAD = "Lead"
    COORDINATOR = "Coordinator"
    AUDITOR = "Auditor"
    OUTSIDE = "Auditor from outside"
    ADMINISTRATOR = "Administrator"
    PROGRAM = "Program"


class Surface(StrEnum):
    """The surfaces that show protected text. Those that begin with ``file`` are formats of exports."""

    QUEUE = "queue"
    ITEM = "review page"
    RECORD = "original record"
    CONFLICTS = "list of conflicts"
    CONFLICT = "deciding a conflict"
    REDACTIONS = "redactions"
    HOLDS = "legal holds"
    SUGGESTIONS = "search for suggestions"
    WHY = "why this provider"
    COMPARE = "providers side by side"
    PLANS = "plans and agreement"
    QUALITY = "quality"
    CALIBRATION = "calibration"
    CHANGES = "what a profile changes"
    LABELS = "labels for fitting"
    ACCESS = "who opened what"
    LEDGER = "ledger"
    EXPORTS = "list of exports"
    API = "API"
    WEBHOOK = "message to an endpoint marked for text"
    PDF = "file: PDF"
    HTML = "file: web page"
    XLSX = "file: workbook"
    BUNDLE = "file: bundle"
    CSV = "file: CSV"
    JSONL = "file: JSON lines"
    ANNOTATIONS = "file: web annotations"
    PROV = "file: PROV"
    FHIR = "file: FHIR"
    SAID = "file: labels"
    OPENINFERENCE = "file: OpenInference"
    LABEL_STUDIO = "file: Label Studio"


Shown = Mapping[TextViewer, frozenset[Text]]

NOTHING: frozenset[Text] = frozenset()
_ALL = frozenset(Text)
_VALUES = frozenset({Text.CLIENT, Text.PROVIDER})
_NAMES = frozenset({Text.NAMES})
_WRITTEN = frozenset({Text.NOTES, Text.NAMES})
_LINE = frozenset({Text.ANSWER, Text.NOTES, Text.NAMES, Text.REFERENCES})
_SHEET = _ALL - {Text.QUESTION}
_CODED = frozenset({Text.NAMES, Text.REFERENCES})


def _reviewed(texts: frozenset[Text], outside: frozenset[Text] = NOTHING) -> Shown:
    """Return the texts of a surface for the viewers who read review items."""
    return {TextViewer.REVIEWER: texts, TextViewer.LEAD: texts, TextViewer.AUDITOR: texts, TextViewer.OUTSIDE: outside}


def _told(texts: frozenset[Text]) -> Shown:
    """Return the texts of a surface for the viewers who read why a provider was suggested."""
    return {**_reviewed(texts, texts & _NAMES), TextViewer.COORDINATOR: texts}


def _exported(texts: frozenset[Text]) -> Shown:
    """Return the texts of a surface for the viewers who export."""
    return {TextViewer.LEAD: texts, TextViewer.AUDITOR: texts, TextViewer.OUTSIDE: texts & _NAMES}


MATRIX: Mapping[Surface, Shown] = {
    Surface.QUEUE: _reviewed(_LINE, _NAMES),
    Surface.ITEM: _reviewed(_ALL, _NAMES),
    Surface.RECORD: dict.fromkeys((TextViewer.REVIEWER, TextViewer.LEAD, TextViewer.AUDITOR), _ALL - {Text.NOTES, Text.NAMES}),
    Surface.CONFLICTS: _reviewed(_CODED, _NAMES),
    Surface.CONFLICT: {TextViewer.LEAD: _ALL},
    Surface.REDACTIONS: {
        TextViewer.LEAD: frozenset({Text.NOTES, Text.REFERENCES}),
        TextViewer.ADMINISTRATOR: frozenset({Text.NOTES, Text.REFERENCES}),
    },
    Surface.HOLDS: {
        TextViewer.LEAD: _CODED | {Text.NOTES},
        TextViewer.AUDITOR: _CODED | {Text.NOTES},
        TextViewer.OUTSIDE: _NAMES,
        TextViewer.ADMINISTRATOR: _CODED | {Text.NOTES},
    },
    Surface.SUGGESTIONS: _told(frozenset({Text.PROVIDER, Text.REFERENCES})),
    Surface.WHY: _told(_SHEET),
    Surface.COMPARE: _told(_VALUES | {Text.ANSWER, Text.NAMES, Text.REFERENCES}),
    Surface.PLANS: {**_reviewed(NOTHING), TextViewer.LEAD: _NAMES},
    Surface.QUALITY: _reviewed(_WRITTEN | {Text.ANSWER}, _NAMES),
    Surface.CALIBRATION: {TextViewer.LEAD: _WRITTEN, TextViewer.AUDITOR: _WRITTEN, TextViewer.OUTSIDE: _NAMES},
    Surface.CHANGES: {
        TextViewer.LEAD: frozenset({Text.REFERENCES}),
        TextViewer.AUDITOR: frozenset({Text.REFERENCES}),
        TextViewer.OUTSIDE: NOTHING,
    },
    Surface.LABELS: {TextViewer.LEAD: frozenset({Text.REFERENCES}), TextViewer.AUDITOR: frozenset({Text.REFERENCES})},
    Surface.ACCESS: {
        TextViewer.AUDITOR: frozenset({Text.NOTES, Text.NAMES, Text.REFERENCES}),
        TextViewer.OUTSIDE: _NAMES,
        TextViewer.ADMINISTRATOR: frozenset({Text.NOTES, Text.NAMES, Text.REFERENCES}),
    },
    Surface.LEDGER: {TextViewer.LEAD: _NAMES, TextViewer.AUDITOR: _NAMES, TextViewer.OUTSIDE: _NAMES, TextViewer.ADMINISTRATOR: _NAMES},
    Surface.EXPORTS: {TextViewer.LEAD: frozenset({Text.NOTES}), TextViewer.AUDITOR: frozenset({Text.NOTES}), TextViewer.OUTSIDE: NOTHING},
    Surface.API: {TextViewer.PROGRAM: _ALL - {Text.NOTES}},
    Surface.WEBHOOK: {TextViewer.PROGRAM: frozenset({Text.QUESTION, Text.ANSWER})},
    Surface.PDF: _exported(_ALL),
    Surface.HTML: _exported(_ALL),
    Surface.XLSX: _exported(_ALL),
    Surface.BUNDLE: _exported(_ALL),
    Surface.CSV: _exported(_ALL),
    Surface.JSONL: _exported(_ALL),
    Surface.ANNOTATIONS: _exported(_VALUES | {Text.ANSWER, Text.NOTES, Text.NAMES, Text.REFERENCES}),
    Surface.PROV: _exported(_CODED),
    Surface.FHIR: _exported(_CODED),
    Surface.SAID: _exported(_ALL - {Text.QUESTION}),
    Surface.OPENINFERENCE: _exported(frozenset({Text.NOTES, Text.NAMES, Text.REFERENCES})),
    Surface.LABEL_STUDIO: _exported(frozenset({Text.QUESTION, Text.ANSWER, Text.NOTES, Text.NAMES})),
}
"""The texts that each viewer is shown on each surface. A viewer who is missing cannot open it."""

_PROVIDERS = frozenset({"provider_genome", "provider", "provider_profile", "providers", "availability", "practice"})
"""Sections about providers. Any other is treated as about the client, so that unknown sections get the stricter protection."""


def viewer_of(member: Membership) -> TextViewer:
    """Return the viewer that a member is."""
    return TextViewer.OUTSIDE if member.is_external else TextViewer[Role(member.role).name]


def hidden_from(member: Membership, surface: Surface) -> frozenset[Text]:
    """Return the kinds of text that a member is not shown on a surface."""
    return _ALL - MATRIX[surface].get(viewer_of(member), NOTHING)


def hidden_from_programs() -> frozenset[Text]:
    """Return the kinds of text that a program with a key is not shown."""
    return _ALL - MATRIX[Surface.API][TextViewer.PROGRAM]


def masked_for(member: Membership, surface: Surface) -> frozenset[Text]:
    """Return the hidden kinds that the same role inside the organisation would see: they are shown as a mask, the rest not at all."""
    inside = MATRIX[surface].get(TextViewer[Role(member.role).name], NOTHING)
    return inside & hidden_from(member, surface)


def kind_of(section: str) -> Text:
    """Return the kind of text that the values of a section are."""
    return Text.PROVIDER if section in _PROVIDERS else Text.CLIENT


def masked(text: str, kind: Text, hidden: frozenset[Text]) -> str:
    """Return the text, or the mask if its kind is hidden."""
    return MASK if text and kind in hidden else text


def name_instead(identifier: object) -> str:
    """Return a name for a snapshot whose references are masked."""
    return f"Answer {str(identifier)[-8:]}"


def table() -> Iterator[tuple[Surface, list[tuple[TextViewer, frozenset[Text] | None]]]]:
    """Yield the matrix row by row, with None for a viewer who cannot open the surface."""
    for surface, shown in MATRIX.items():
        yield surface, [(viewer, shown.get(viewer)) for viewer in TextViewer]


def document() -> str:
    """Return the matrix as a Markdown page."""
    lines = ["# Who is shown which text where", "", "Drawn by `manage.py texts` from `texts.py`, which every page and file asks.", ""]
    lines += [f"| where | {' | '.join(viewer.value for viewer in TextViewer)} |", f"|---|{'---|' * len(TextViewer)}"]
    lines += [f"| {surface.value} | {' | '.join(words_of(surface, *cell) for cell in cells)} |" for surface, cells in table()]
    return "\n".join([*lines, "", *_legend(), ""])


def words_of(surface: Surface, viewer: TextViewer, texts: frozenset[Text] | None) -> str:
    """Return a cell in words."""
    if texts is None:
        return "cannot open it"
    shown = ", ".join(text.name.lower() for text in Text if text in texts)
    if viewer is TextViewer.OUTSIDE and MATRIX[surface][TextViewer.AUDITOR] - texts:
        return f"{shown}, the rest masked" if shown else "masked"
    return shown or "no such text"


def _legend() -> Iterator[str]:
    yield from (f"- *{text.name.lower()}*: {text.value}" for text in Text)
