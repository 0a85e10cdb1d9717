"""Imported labels: what there is, and bringing more in."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.accounts.stepping_up import Purpose, has_proof, proof_address, requires_proof
from reviewers.calibration.importing.actions import import_sets, read_file
from reviewers.calibration.importing.files import lines_of_file
from reviewers.calibration.importing.forms import ImportForm
from reviewers.calibration.importing.page import combinations_of, list_imports
from reviewers.calibration.label_sets import NotLabelsError
from reviewers.snapshots.choosing import Combination


@require_GET
@requires(Permission.READ_CALIBRATION)
def imports(request: MemberRequest) -> HttpResponse:
    """What was brought in. Only whoever has just proved who they are is shown the form: a file cannot wait while they do."""
    return _render(request)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
@requires_proof(Purpose.IMPORT, asked_at="imports")
def bring(request: MemberRequest) -> HttpResponse:
    """Bring the labels of a file in."""
    form = ImportForm(request.POST, request.FILES, combinations=combinations_of(request.member.organisation))
    if not form.is_valid():
        return _render(request, form.complaint(), 422)
    file, seen = form.cleaned_data["file"], form.cleaned_data["combination"]
    source = form.cleaned_data["source"] or file.name
    wanted = Combination(seen.model, seen.prompt_version, seen.schema_version) if seen else None
    try:
        sets = read_file(lines_of_file(file), request.member.organisation, source, wanted)
        actor = user_actor(request.member.user_id)
        import_sets(sets=sets, source=source, organisation=request.member.organisation, by=actor, now=timezone.now())
    except NotLabelsError as error:
        return _render(request, f"Nothing was brought in from {file.name}: {error}.", 422)
    return redirect("imports")


def _render(request: MemberRequest, notice: str = "", status: int = 200) -> HttpResponse:
    organisation = request.member.organisation
    context = {
        "rows": list_imports(organisation),
        "combinations": combinations_of(organisation) if may(request.member, Permission.MANAGE_CALIBRATION) else (),
        "has_proof": has_proof(request, Purpose.IMPORT),
        "proof_address": proof_address(Purpose.IMPORT, reverse("imports")),
        "notice": notice,
    }
    return render(request, "calibration/imports.html", context, status=status)
