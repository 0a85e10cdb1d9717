"""An organisation in which each kind of protected text has words of its own, and every surface on which they could be shown."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import pypdf
from django.test import Client
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation, Role, Scope
from reviewers.accounts.texts import Surface, Text, TextViewer
from reviewers.calibration.lifecycle.actions import reject
from reviewers.ledger.models import RedactionBasis
from reviewers.quality.alarms import acknowledge
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS, VOLUMES
from reviewers.reports.exports.scope import ReportScope as Of
from reviewers.reports.exports.scope import ScopeKind
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.legal_holds.actions import HoldTerms, place
from reviewers.review.models import CitationVerdict, Flag, FlagKind, HoldKind, QueueItem, Verdict
from reviewers.review.queries import load_item
from reviewers.review.redaction.actions import propose
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import FlagChoice, put_flag, resolve_flag
from reviewers.web.models import uuid7
from tests.accounts.outside import make_external
from tests.calibration.standing import propose as make_profile
from tests.factories import NOW, choose, claim_words, flag_finding, make_item, make_key, make_member, sign_in
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_bundle, make_export, make_volumes, written
from tests.review.deciding.cases import make_conflict
from tests.review.signed import sign_as_it_stands

CANARIES: Mapping[Text, tuple[str, ...]] = {
    Text.QUESTION: ("marzipan",),
    Text.ANSWER: ("nightingale", "contrabassoon", "glockenspiel"),
    Text.CLIENT: ("harpsichord",),
    Text.PROVIDER: ("sousaphone", "Quixote"),
    Text.NOTES: ("flugelhorn", "bandoneon", "clavichord", "trombone"),
    Text.NAMES: ("Petronella", "Una Ulm", "Vera Voss"),
    Text.REFERENCES: ("client-zanzibar", "talk-timbuktu", "turn-ulaanbaatar"),
}

RECORD: Mapping[str, Any] = {
    "client_reference": "client-zanzibar",
    "conversation_id": "talk-timbuktu",
    "provider": "Dr. Quixote",
    "user_text": "is there a marzipan shop?",
    "response": (
        "The nightingale sings at night [1]. Your risk is elevated as that of a nightingale [[SF:risk_level]], as you are at low risk, "
        "[[SF:nothing]] and the fit comes out at 85%. You like the viola [[SF:instruments]], and the tuba is taught."
    ),
    "context": {
        "safety": {"risk_level": "elevated", "remark": "harpsichord music helps", "instruments": ["viola", "harpsichord"]},
        "provider_genome": {"style": "sousaphone lessons", "lessons": ["tuba", "sousaphone"]},
        "therapeutic_fit": {"fit_score": 0.85},
    },
    "documents": [
        {"id": "birds", "title": "On the contrabassoon", "content": "It sings at night, and the glockenspiel is played at night as well."},
        {"title": "A second glockenspiel", "content": "Coffee keeps awake."},
    ],
}


def make_reviewed(organisation: Organisation, **changes: Any) -> QueueItem:
    """An answer with notes, remarks and a reason beside it, submitted and signed."""
    reviewer = make_member(organisation, name="Petronella Price")
    item = make_item(organisation, **RECORD | {"id": "turn-ulaanbaatar"} | changes)
    found = load_item(reviewer, item.pk)
    for number, row in enumerate(found.attribution.fields):
        choice = RowChoice(item.pk, item.attribution_id, number)
        verdict = Verdict.CORRECT if row.is_used else Verdict.WRONG
        actions.save_label(choice=choice, verdict=verdict, note=f"a flugelhorn {number}", by=reviewer, now=NOW)
    for number, _ in enumerate(found.findings):
        flag_finding(choice=RowChoice(item.pk, item.attribution_id, number), note="a bandoneon", by=reviewer, now=NOW)
    _talk_about(item, reviewer)
    for citation in found.citations:
        choice = RowChoice(item.pk, item.attribution_id, citation.number)
        save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, note="a clavichord", by=reviewer, now=NOW)
    actions.label_remaining(item_id=item.pk, by=reviewer, now=NOW)
    actions.submit(item_id=item.pk, by=reviewer, now=NOW)
    actions.save_label(choice=choose(item, reason="a trombone"), verdict=Verdict.WRONG, note="flugelhorn", by=reviewer, now=NOW)
    sign_as_it_stands(item, reviewer)
    return item


def _talk_about(item: QueueItem, reviewer: Membership) -> None:
    """Flag a field, a citation and words of the answer, resolve those flags, and comment on it."""
    found = load_item(reviewer, item.pk)
    for number in range(min(12, len(found.attribution.fields))):
        put_flag(choice=FlagChoice(item.pk, item.attribution_id, FlagKind.ROW, number), note="a bandoneon", by=reviewer, now=NOW)
    for number in range(len(found.citations)):
        put_flag(choice=FlagChoice(item.pk, item.attribution_id, FlagKind.CITATION, number), note="a bandoneon", by=reviewer, now=NOW)
    words = " ".join(found.unmarked.text.split()[:4])
    put_flag(choice=FlagChoice(item.pk, item.attribution_id, FlagKind.WORDS, words=words), note="a bandoneon", by=reviewer, now=NOW)
    for flag in Flag.objects.filter(snapshot=item.pk, kind__in=[FlagKind.ROW, FlagKind.WORDS]):
        resolve_flag(item_id=item.pk, flag_id=flag.pk, note="a trombone", by=reviewer, now=NOW)
    claim_words(item, reviewer, note="a trombone")
    write_comment(item_id=item.pk, text="a flugelhorn", by=reviewer, now=NOW)


class World:
    """The organisation, somebody of each kind who looks, and what each surface shows them."""

    def __init__(self, organisation: Organisation) -> None:
        self.organisation = organisation
        self.item = make_reviewed(organisation)
        self.conflict = make_conflict(organisation, "a flugelhorn", RECORD | {"id": "turn-ulaanbaatar-2"})
        self.skipped = make_item(organisation, **RECORD | {"id": "turn-ulaanbaatar-3"})
        make_item(organisation, response="", abstention_reason="the nightingale does not say")
        petronella = make_member(organisation, name="Petronella Price")
        actions.take(item_id=self.skipped.pk, by=petronella, now=timezone.now())
        actions.skip(item_id=self.skipped.pk, reason="a trombone", by=petronella, now=timezone.now())
        lead = make_member(organisation, Role.LEAD, "Leda Lund")
        self.redaction = propose(
            item_id=self.item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="a trombone", by=lead, now=NOW
        )
        self.hold = place(terms=HoldTerms(HoldKind.CLIENT, "a trombone", reference="client-zanzibar"), by=petronella, now=NOW)
        make_export(lead, scope=self.scope, reason="a trombone")
        self.profile = make_profile(self.item, lead)
        reject(profile_id=self.profile.pk, reason="a trombone", by=make_member(organisation, Role.LEAD, "Petronella Price"), now=NOW)
        acknowledge(alarm_id=make_alarm(organisation).pk, reason="a trombone", by=petronella, now=NOW)
        self.members = {TextViewer[role.name]: make_member(organisation, role, f"{role.label} Rowe") for role in Role}
        self.members[TextViewer.OUTSIDE] = make_external(organisation)
        self.clients = {viewer: sign_in(member) for viewer, member in self.members.items()}
        self.clients[TextViewer.REVIEWER].post(f"/items/{self.item.pk}/why/", {"kind": "audit", "reason": "a trombone"})
        sign_in(petronella).get(f"/items/{self.item.pk}/")
        self.key = make_key(organisation, Scope.READ)
        self.made = uuid7()

    @property
    def ids(self) -> dict[str, Any]:
        """Return the identifiers that paths take."""
        ids = {"item": self.item.pk, "conflict": self.conflict.pk, "skipped": self.skipped.pk, "profile": self.profile.pk}
        return ids | {"made": self.made, "redaction": self.redaction.pk, "hold": self.hold.pk, "plan": self.conflict.plan_id}

    @property
    def scope(self) -> Of:
        """A report of the answer with all its fields."""
        return Of(ScopeKind.ITEM, self.item.pk, all_fields=True)

    def shown(self, surface: Surface, viewer: TextViewer) -> str | None:
        """All that a surface shows somebody; nothing where they cannot open it."""
        if viewer is TextViewer.PROGRAM:
            return self._told_to_program() if surface is Surface.API else None
        if surface.value.startswith("file: "):
            return self._file(FILES[surface], viewer)
        if surface not in PAGES:
            return None
        pages = [self.clients[viewer].get(path.format(**self.ids)) for path in PAGES[surface]]
        if any(page.status_code == 403 for page in pages):
            return None
        assert {page.status_code for page in pages} == {200}, surface
        return "\n".join(b"".join(page).decode() if page.streaming else page.content.decode() for page in pages)

    def _told_to_program(self) -> str:
        client = Client(headers={"Authorization": f"Bearer {self.key}"})
        paths = (f"snapshots/{self.item.pk}", "items?state=all", f"items/{self.item.pk}", f"items/{self.conflict.pk}")
        return "\n".join(client.get(f"/api/v1/{path}").content.decode() for path in paths)

    def _file(self, form: str, viewer: TextViewer) -> str | None:
        member = self.members[viewer]
        if self.clients[viewer].get("/exports/").status_code == 403:
            return None
        return file_of(member, form, self.scope)


def file_of(member: Membership, form: str, scope: Of) -> str:
    """All text in a file that somebody takes."""
    if form in (BUNDLE, VOLUMES):
        return text_of(form, (make_bundle if form == BUNDLE else make_volumes)(member, scope))
    return text_of(form, written(member, form, scope))


def text_of(form: str, content: bytes) -> str:
    """All text in a file, whatever it is packed in."""
    if form == "pdf":
        reader = pypdf.PdfReader(io.BytesIO(content))
        attached = [each.content.decode() for each in reader.attachment_list]
        return "\n".join(["".join(page.extract_text().replace("\n", "") for page in reader.pages), *attached])
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {name: archive.read(name) for name in archive.namelist() if not name.endswith(".py")}
        parts = [text_of("pdf", each) if name.endswith(".pdf") else each.decode("utf-8", "replace") for name, each in files.items()]
        return "\n".join(parts)
    return content.decode()


FILES: Mapping[Surface, str] = {
    Surface.PDF: "pdf",
    Surface.HTML: "html",
    Surface.XLSX: "xlsx",
    Surface.BUNDLE: "bundle",
    Surface.CSV: "csv",
    Surface.JSONL: "jsonl",
    Surface.ANNOTATIONS: "annotations",
    Surface.PROV: "prov",
    Surface.FHIR: "fhir",
    Surface.SAID: "labels",
    Surface.OPENINFERENCE: "openinference",
    Surface.LABEL_STUDIO: "label_studio",
}
assert {*FILES.values(), VOLUMES} == set(FORMATS), "volumes are PDFs"

PAGES: Mapping[Surface, tuple[str, ...]] = {
    Surface.QUEUE: ("/queue/?state=submitted&state=skipped&state=to_do",),
    Surface.ITEM: (
        "/items/{item}/?unfound=1&sources=all",
        "/items/{item}/sources/",
        "/items/{conflict}/?unfound=1",
        "/items/{skipped}/?unfound=1",
    ),
    Surface.RECORD: ("/items/{item}/record/",),
    Surface.CONFLICTS: ("/conflicts/",),
    Surface.CONFLICT: ("/conflicts/{conflict}/", "/conflicts/{conflict}/?at=2"),
    Surface.REDACTIONS: ("/redactions/", "/redactions/{redaction}/"),
    Surface.HOLDS: ("/holds/", "/holds/{hold}/"),
    Surface.SUGGESTIONS: ("/why/",),
    Surface.WHY: ("/why/{item}/",),
    Surface.COMPARE: ("/why/{item}/compare/",),
    Surface.PLANS: ("/plans/", "/plans/{plan}/", "/plans/{plan}/agreement/"),
    Surface.QUALITY: ("/quality/",),
    Surface.CALIBRATION: ("/calibration/", "/calibration/profiles/{profile}/"),
    Surface.ACCESS: ("/access/", "/access/?before={made}"),
    Surface.LEDGER: ("/ledger/",),
    Surface.EXPORTS: ("/exports/",),
}
