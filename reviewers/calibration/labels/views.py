"""Views of imported labels: the list, and the upload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.audit import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.accounts.sign_in.reauthentication import Purpose, has_proof, proof_address, requires_proof
from reviewers.accounts.texts import Surface, hidden_from
from reviewers.calibration.combinations import key_of
from reviewers.calibration.labels.actions import import_sets, read_file
from reviewers.calibration.labels.imports import Incoming, Numbered, lines_of_file
from reviewers.calibration.labels.label_sets import NotLabelsError
from reviewers.calibration.labels.queries import combinations_of, list_imports, offered_combinations
from reviewers.calibration.models import SeenCombination


class ImportForm(forms.Form):
    """A file, its source, and for labelled turns the combination to assign them to instead of the one they name."""

    file = forms.FileField(allow_empty_file=True, max_length=200)
    source = forms.CharField(max_length=200, required=False)
    combination = forms.ModelChoiceField(SeenCombination.objects.none(), required=False)

    def __init__(self, *args: Any, combinations: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["combination"].queryset = combinations  # type: ignore[attr-defined]

    def complaint(self) -> str:
        """Return the error in a sentence."""
        if "file" in self.errors:
            return "Choose a file."
        return "That combination is not there." if "combination" in self.errors else "Name the source in at most 200 characters."


LONGEST = 10
"""Seconds that reading a file may take in a request: each labelled turn is attributed."""


def _in_time(lines: Iterable[Numbered]) -> Iterator[Numbered]:
    """Yield the lines; raise ``NotLabelsError`` if reading them takes too long."""
    until = monotonic() + LONGEST
    for each in lines:
        if monotonic() > until:
            raise NotLabelsError("it takes longer to read than a page may; the command import_labels has no limit")
        yield each


MOST_SETS = 50
"""Sets that a request may bring in: each is stored and recorded on its own."""


def _few(sets: list[Incoming]) -> list[Incoming]:
    """Return the sets; raise ``NotLabelsError`` if there are too many."""
    if len(sets) > MOST_SETS:
        raise NotLabelsError(f"its turns name {len(sets):,} combinations, more than {MOST_SETS}; the command import_labels takes them")
    return sets


@require_GET
@requires(Permission.READ_CALIBRATION)
def imports(request: MemberRequest) -> HttpResponse:
    """List the imported sets. The form is only shown after a proof of identity, because a file cannot wait for one."""
    return _render(request)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
@requires_proof(Purpose.IMPORT, asked_at="imports")
def upload_labels(request: MemberRequest) -> HttpResponse:
    """Import the labels of a file."""
    form = ImportForm(request.POST, request.FILES, combinations=combinations_of(request.member.organisation))
    if not form.is_valid():
        return _render(request, form.complaint(), 422)
    file, seen = form.cleaned_data["file"], form.cleaned_data["combination"]
    source = form.cleaned_data["source"] or file.name
    wanted = key_of(seen) if seen else None
    try:
        sets = _few(read_file(_in_time(lines_of_file(file)), request.member.organisation, source, wanted))
        actor = user_actor(request.member.user_id)
        import_sets(sets=sets, source=source, organisation=request.member.organisation, by=actor, now=timezone.now())
    except NotLabelsError as error:
        return _render(request, f"Nothing was brought in from {file.name}: {error}.", 422)
    return redirect("imports")


def _render(request: MemberRequest, notice: str = "", status: int = 200) -> HttpResponse:
    organisation = request.member.organisation
    context = {
        "rows": list_imports(organisation, hidden=hidden_from(request.member, Surface.CALIBRATION)),
        "combinations": offered_combinations(organisation) if may(request.member, Permission.MANAGE_CALIBRATION) else (),
        "has_proof": has_proof(request, Purpose.IMPORT),
        "proof_address": proof_address(Purpose.IMPORT, reverse("imports")),
        "notice": notice,
    }
    return render(request, "calibration/imports.html", context, status=status)
