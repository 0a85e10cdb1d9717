"""The administrators' page of members: who they are, what each role may do, who is invited and who leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts import membership, queries
from reviewers.accounts.announcements import user_actor
from reviewers.accounts.forms import InviteForm, OutsideForm, RoleForm
from reviewers.accounts.invitations import actions as invitations
from reviewers.accounts.invitations import jobs
from reviewers.accounts.invitations.queries import list_open
from reviewers.accounts.membership_policies import Refused
from reviewers.accounts.models import Invitation, Membership, Role
from reviewers.accounts.outside import Outside
from reviewers.accounts.permissions import MemberRequest, Permission, requires, role_matrix
from reviewers.accounts.stepping_up import Purpose, requires_proof
from reviewers.web.moments import day_ends


@require_GET
@requires(Permission.MANAGE_MEMBERS)
def members(request: MemberRequest) -> HttpResponse:
    """Everybody who is or was a member, and what the roles may do."""
    return _render(request)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def invite(request: MemberRequest) -> HttpResponse:
    """Invite an address. Nothing is said of whoever owns it, and the link goes there alone."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _render(request, form=form, status=422)

    def send() -> HttpResponse:
        data = form.cleaned_data
        told = {"email": data["email"], "role": data["role"], "outside": _outside(data)}
        invitation = invitations.invite(organisation=request.member.organisation, **told, **_now_by(request))
        jobs.defer(invitation)
        messages.success(request, f"An invitation is on its way to {invitation.email}. The membership begins when it is accepted.")
        return redirect("members")

    return _attempt(request, send, form=form)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def withdraw_invitation(request: MemberRequest, invitation_id: UUID) -> HttpResponse:
    """Take an invitation back."""
    invitation = get_object_or_404(Invitation, pk=invitation_id, organisation=request.member.organisation)

    def withdraw() -> HttpResponse:
        invitations.withdraw(invitation=invitation, **_now_by(request))
        messages.success(request, f"The invitation of {invitation.email} is withdrawn. Its link does not work any more.")
        return redirect("members")

    return _attempt(request, withdraw)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def change_role(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """Give a member another role."""
    member, form = _find(request, member_id), RoleForm(request.POST)
    if not form.is_valid():
        return _render(request, status=422, notice="There is no such role.")

    def change() -> HttpResponse:
        membership.change_role(member=member, role=form.cleaned_data["role"], **_now_by(request))
        messages.success(request, f"{member.user.name} is now {Role(form.cleaned_data['role']).label.lower()}.")
        return redirect("members" if member.pk != request.member.pk else "home")

    return _attempt(request, change)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def mark_external(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """An auditor is from outside, for a reason and until a day."""
    member, form = _find(request, member_id), OutsideForm(request.POST)
    if not form.is_valid():
        return _render(request, status=422, notice="Say why this auditor is let in, and until which day.")

    def mark() -> HttpResponse:
        outside = _outside(form.cleaned_data)
        if outside:
            membership.mark_external(member=member, outside=outside, **_now_by(request))
        messages.success(request, f"{member.user.name} is from outside now. Text is masked for them.")
        return redirect("members")

    return _attempt(request, mark)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def end_membership(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """Somebody leaves."""
    member = _find(request, member_id)

    def end() -> HttpResponse:
        membership.end_membership(member=member, **_now_by(request))
        messages.success(request, f"{member.user.name} is no member any more.")
        return redirect("members" if member.pk != request.member.pk else "home")

    return _attempt(request, end)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def sign_out_member(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """Sign a member out here, wherever they are signed in."""
    member = _find(request, member_id)

    def sign_out() -> HttpResponse:
        membership.sign_out(member=member, **_now_by(request))
        messages.success(request, f"{member.user.name} is signed out, and has to sign in again to see anything here.")
        return redirect("members")

    return _attempt(request, sign_out)


def _attempt(request: MemberRequest, act: Callable[[], HttpResponse], **context: Any) -> HttpResponse:
    try:
        return act()
    except Refused as refusal:
        return _render(request, status=409, notice=str(refusal), **context)


def _outside(data: Mapping[str, Any]) -> Outside | None:
    """The last day counts to its end."""
    return Outside(data["reason"], day_ends(data["until"])) if data.get("reason") and data.get("until") else None


def _find(request: MemberRequest, member_id: UUID) -> Membership:
    return get_object_or_404(Membership.objects.select_related("user"), pk=member_id, organisation=request.member.organisation)


def _now_by(request: MemberRequest) -> dict[str, Any]:
    return {"at": timezone.now(), "by": user_actor(request.member.user_id)}


def _render(request: MemberRequest, *, status: int = 200, form: InviteForm | None = None, **context: Any) -> HttpResponse:
    rows = queries.list_members(request.member.organisation)
    context |= {"form": form or InviteForm(), "roles": Role.choices, "matrix": role_matrix()}
    context |= {"invitations": list_open(request.member.organisation, timezone.now())}
    context |= {"members": [row for row in rows if row.ended_at is None], "former": [row for row in rows if row.ended_at]}
    return render(request, "accounts/members.html", context, status=status)
