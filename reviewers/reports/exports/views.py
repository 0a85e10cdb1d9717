"""Views of exports: the list, a new one, one of them, and its file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, cast
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.sessions import OF_WORK
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.accounts.texts import Surface, Text, hidden_from, name_instead
from reviewers.ledger.events import Action
from reviewers.reports.disclosure.profiles import CHOICES, DisclosureProfile, choices_for, read_recall
from reviewers.reports.exports import actions, chunks, queries
from reviewers.reports.exports.bundle.writer import NotSealedYet, pack_bundle
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS, PDF, VOLUMES, format_for, offered_formats
from reviewers.reports.exports.formats.wording import file_name
from reviewers.reports.exports.scope import ReportScope, ScopeKind, resolve_request
from reviewers.reports.exports.volumes import ANSWERS
from reviewers.reports.models import Export
from reviewers.snapshots.access_log import AccessForm, ClientForm
from reviewers.snapshots.lists import keep_words, kept_words, record_list
from reviewers.web.dates import DayField
from reviewers.web.tenancy import tenant

_LONGEST_REASON = 1_000

SEARCHES = f"{OF_WORK}searches for exports"
_PIECE = 256 * 1024


class ExportForm(forms.Form):
    """The form of a new export: of what, in which format, and why. ``object`` is the answer or the plan, if it is of one."""

    kind = forms.ChoiceField(choices=[(kind.value, kind.value) for kind in ScopeKind], initial=ScopeKind.PERIOD.value)
    object = forms.UUIDField(required=False, widget=forms.HiddenInput)
    since = DayField(required=False)
    until = DayField(required=False)
    submitted_only = forms.BooleanField(required=False)
    all_fields = forms.BooleanField(required=False)
    profile = forms.ChoiceField(
        choices=[(each.value, each.value) for each in CHOICES], initial=DisclosureProfile.FULL.value, required=False
    )
    form = forms.ChoiceField(choices=[(each.name, each.label) for each in offered_formats()], initial="pdf")
    reason = forms.CharField(max_length=_LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 2}))

    def clean(self) -> dict[str, Any]:
        """Check the fields that depend on each other."""
        data = super().clean() or {}
        if data.get("kind") != ScopeKind.PERIOD.value and not data.get("object") and "object" not in self.errors:
            self.add_error("kind", "Say which one, by its own page.")
        if data.get("since") and data.get("until") and data["since"] > data["until"]:
            self.add_error("until", "The last day lies before the first.")
        return data

    def scope(self) -> ReportScope:
        """Return the scope of the export."""
        data = self.cleaned_data
        kind = ScopeKind(data["kind"])
        if kind is not ScopeKind.PERIOD:
            return ReportScope(kind, data["object"], all_fields=data["all_fields"], profile=self._profile())
        days = {"since": data["since"], "until": data["until"], "submitted_only": data["submitted_only"]}
        return ReportScope(kind, **days, all_fields=data["all_fields"], profile=self._profile())

    def _profile(self) -> DisclosureProfile:
        return DisclosureProfile(self.cleaned_data["profile"] or DisclosureProfile.FULL)


@require_GET
@requires(Permission.EXPORT)
def exports(request: MemberRequest) -> HttpResponse:
    """Show all exports, or those with answers about one client with the reveals of these answers.

    Searching for a client is an audit event.
    """
    client = kept_words(request, SEARCHES, request.GET.get("client", ""))
    before = AccessForm(request.GET).value("before")
    with transaction.atomic():
        page = queries.list_exports(request.member, client=client, before=before)
        reveals = queries.list_reveals(request.member, client) if client and not before else ()
        if client:
            found = {"found": [str(row.id) for row in page.rows]}
            record_list(request, Action.EXPORTS_SEARCHED, found, [("client", client.encode())])
    query = f"client={request.GET['client']}&" if client else ""
    return render(request, "reports/exports.html", {"page": page, "reveals": reveals, "client": client, "query": query})


@require_POST
@requires(Permission.SEARCH_NAMES)
def search_exports(request: MemberRequest) -> HttpResponse:
    """Keep a client's reference in the session and redirect to the exports about them. The URL has only its number."""
    form = ClientForm(request.POST)
    client = form.cleaned_data["client"] if form.is_valid() else ""
    if not client:
        return redirect("exports")
    return redirect(f"{reverse('exports')}?client={keep_words(request, SEARCHES, client)}")


@require_GET
@requires(Permission.EXPORT)
def new(request: MemberRequest) -> HttpResponse:
    """Show an empty form for the answer or the plan in the URL, or else for a period."""
    for kind in (ScopeKind.ITEM, ScopeKind.PLAN):
        if given := request.GET.get(kind.value):
            return _render_form(request, ExportForm(initial={"kind": kind.value, "object": given}), kind.value, given)
    return _render_form(request, ExportForm(), ScopeKind.PERIOD.value, "")


@require_POST
@requires(Permission.EXPORT)
@requires_proof(Purpose.EXPORT)
def create(request: MemberRequest) -> HttpResponse:
    """Request a report, and redirect to it."""
    form = ExportForm(request.POST)
    kind, given = request.POST.get("kind", ""), request.POST.get("object", "")
    if not form.is_valid():
        return _render_form(request, form, kind, given, status=422)
    data = form.cleaned_data
    try:
        export = actions.ask_for(scope=form.scope(), form=data["form"], reason=data["reason"], by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render_form(request, form, kind, given, notice=str(refusal), status=422)
    return redirect("export", export.pk)


@require_GET
@requires(Permission.EXPORT)
def show(request: MemberRequest, export_id: UUID) -> HttpResponse:
    """Show one export and its progress."""
    return _render_export(request, queries.find_export(request.member, export_id))


@require_GET
@requires(Permission.EXPORT)
@requires_proof(Purpose.EXPORT)
def take(request: MemberRequest, export_id: UUID) -> HttpResponse:
    """Send the file piece by piece. Downloading it is an audit event."""
    export = queries.find_export(request.member, export_id)
    detail = queries.load_detail(request.member, export)
    if not (detail.is_there and detail.may_take and detail.is_ready):
        return redirect("export", export.pk)
    try:
        bundle = pack_bundle(export) if export.form == BUNDLE and not chunks.is_kept(export, chunks.BUNDLE) else None
    except NotSealedYet:
        return redirect("export", export.pk)
    actions.note_taken(export=export, by=request.member, now=timezone.now())
    return cast("HttpResponse", _sent(export, bundle))


def _sent(export: Export, bundle: IO[bytes] | None) -> StreamingHttpResponse:
    form = FORMATS[export.form]
    name = file_name(f"{export.scope['kind']}-{str(export.pk)[-8:]}", form.ending)
    content = _pieces_of(bundle) if bundle else _chunks_of(export)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(content, content_type=form.content_type, headers=headers)


def _chunks_of(export: Export) -> Iterator[bytes]:
    """Yield the pieces of the file. They are read after the request's transaction has ended, so each read sets the tenant itself."""
    with tenant.within(export.organisation_id):
        numbers = chunks.keys(export, chunks.BUNDLE if export.form == BUNDLE else chunks.FILE)
    for key in numbers:
        with tenant.within(export.organisation_id):
            piece = chunks.piece(key)
        if piece:  # some only have the state of the report
            yield piece


def _pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece


def _render_export(request: MemberRequest, export: Export) -> HttpResponse:
    return render(request, "reports/export.html", {"detail": queries.load_detail(request.member, export)})


def _render_form(request: MemberRequest, form: ExportForm, kind: str, given: str, *, notice: str = "", status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "formats": offered_formats(),
        "volume": ANSWERS,
        "notice": notice,
        "of": _of(request, kind, given),
    }
    context |= {"profiles": choices_for(request.member), "chosen_profile": form["profile"].value() or DisclosureProfile.FULL.value}
    context |= {"recall": None if request.member.is_external else read_recall()}
    context |= {"chosen_form": form["form"].value(), "chosen_kind": form["kind"].value()}
    return render(request, "reports/export_form.html", context, status=status)


def _of(request: MemberRequest, kind: str, given: str) -> dict[str, Any]:
    """Return the object of the form: its kind, name and number of answers. Raise ``Http404`` if there is no such object."""
    if kind not in (ScopeKind.ITEM.value, ScopeKind.CONVERSATION.value, ScopeKind.PLAN.value) or not given:
        return {"kind": ScopeKind.PERIOD.value}
    try:
        scope = ReportScope(ScopeKind.PLAN if kind == ScopeKind.PLAN.value else ScopeKind.ITEM, UUID(given))
    except (ValueError, ValidationError) as error:
        raise Http404 from error
    chosen = resolve_request(scope, request.member)
    is_masked = scope.kind is ScopeKind.ITEM and Text.REFERENCES in hidden_from(request.member, Surface.ITEM)
    count = chosen.items.count()
    is_long = format_for(PDF, count) == VOLUMES
    title = name_instead(given) if is_masked else chosen.title
    return {"kind": scope.kind.value, "id": given, "title": title, "count": count, "is_long": is_long}
