"""Pages of members: the list with its forms, the page that an invitation opens, and the tokens of members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from reviewers.accounts import jobs, queries
from reviewers.accounts.audit import user_actor
from reviewers.accounts.forms import AccountForm, InviteForm, OutsideForm, RoleForm, TokenForm
from reviewers.accounts.members import actions
from reviewers.accounts.members.tokens import Because, end_token, list_own_tokens, list_working_tokens, make_token, may_use
from reviewers.accounts.models import Invitation, Membership, MemberToken, Role, TokenScope, User
from reviewers.accounts.permissions import MemberRequest, Permission, requires, role_matrix
from reviewers.accounts.policies import ExternalTerms, Refused, check_is_open, check_may_accept
from reviewers.accounts.sign_in.proofs import has_second_factor
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.web.dates import end_of_day
from reviewers.web.tenancy import tenant


@require_GET
@requires(Permission.MANAGE_MEMBERS)
def members(request: MemberRequest) -> HttpResponse:
    """List current and former members, and the permissions of each role."""
    return _render(request)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def invite(request: MemberRequest) -> HttpResponse:
    """Invite an address. The page says nothing about its owner, and the link is sent there only."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _render(request, form=form, status=422)

    data, email = form.cleaned_data, form.cleaned_data["email"].lower()
    told = {"email": email, "role": data["role"], "outside": _outside(data)}

    def send() -> None:
        jobs.defer_invitation_mail(actions.invite(organisation=request.member.organisation, **told, **_now_by(request)))

    done = f"An invitation is on its way to {email}. The membership begins when it is accepted."
    return _attempt(request, send, done, form=form)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def withdraw_invitation(request: MemberRequest, invitation_id: UUID) -> HttpResponse:
    """Withdraw an invitation."""
    invitation = get_object_or_404(Invitation, pk=invitation_id, organisation=request.member.organisation)
    done = f"The invitation of {invitation.email} is withdrawn. Its link does not work any more."
    return _attempt(request, lambda: actions.withdraw_invitation(invitation=invitation, **_now_by(request)), done)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def change_role(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """Give a member another role."""
    member, form = _find(request, member_id), RoleForm(request.POST)
    if not form.is_valid():
        return _render(request, status=422, notice="There is no such role.")
    role = form.cleaned_data["role"]
    done = f"{member.user.name} is now {Role(role).label.lower()}."
    return _attempt(request, lambda: actions.change_role(member=member, role=role, **_now_by(request)), done, _after(request, member))


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def mark_external(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """Mark an auditor as from outside, with a reason and a last day."""
    member, form = _find(request, member_id), OutsideForm(request.POST)
    if not form.is_valid():
        return _render(request, status=422, notice="Say why this auditor is let in, and until which day.")
    terms = ExternalTerms(form.cleaned_data["reason"], end_of_day(form.cleaned_data["until"]))
    done = f"{member.user.name} is from outside now. Text is masked for them."
    return _attempt(request, lambda: actions.mark_external(member=member, outside=terms, **_now_by(request)), done)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def end_membership(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """End a membership."""
    member = _find(request, member_id)
    done = f"{member.user.name} is no member any more."
    return _attempt(request, lambda: actions.end_membership(member=member, **_now_by(request)), done, _after(request, member))


@require_POST
@requires(Permission.MANAGE_MEMBERS)
@requires_proof(Purpose.MANAGE)
def sign_out_member(request: MemberRequest, member_id: UUID) -> HttpResponse:
    """Sign a member out of this organisation everywhere."""
    member = _find(request, member_id)
    done = f"{member.user.name} is signed out, and has to sign in again to see anything here."
    return _attempt(request, lambda: actions.sign_out(member=member, **_now_by(request)), done)


def _attempt(
    request: MemberRequest, act: Callable[[], object], done: str, address: str = "members", *, form: InviteForm | None = None
) -> HttpResponse:
    """Act, and redirect with a message of what was done; show the members with the reason if it is refused."""
    try:
        act()
    except Refused as refusal:
        return _render(request, status=409, notice=str(refusal), form=form)
    messages.success(request, done)
    return redirect(address)


def _after(request: MemberRequest, member: Membership) -> str:
    """Return the page to show after a change of a member: members who have changed themselves may have lost the members' page."""
    return "members" if member.pk != request.member.pk else "home"


def _outside(data: Mapping[str, Any]) -> ExternalTerms | None:
    """Return the terms in the form, valid to the end of the last day; None if the form has none."""
    return ExternalTerms(data["reason"], end_of_day(data["until"])) if data.get("reason") and data.get("until") else None


def _find(request: MemberRequest, member_id: UUID) -> Membership:
    return get_object_or_404(Membership.objects.select_related("user"), pk=member_id, organisation=request.member.organisation)


def _now_by(request: MemberRequest) -> dict[str, Any]:
    return {"at": timezone.now(), "by": user_actor(request.member.user_id)}


def _render(request: MemberRequest, *, status: int = 200, form: InviteForm | None = None, notice: str = "") -> HttpResponse:
    rows = queries.list_members(request.member.organisation)
    context: dict[str, Any] = {"notice": notice, "form": form or InviteForm(), "roles": Role.choices, "matrix": role_matrix()}
    context |= {"invitations": queries.list_open_invitations(request.member.organisation, timezone.now())}
    context |= {"members": [row for row in rows if row.ended_at is None], "former": [row for row in rows if row.ended_at]}
    context |= {"tokens": list_working_tokens(request.member.organisation, timezone.now())}
    return render(request, "accounts/members.html", context, status=status)


@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, invitation_id: UUID, token: str) -> HttpResponse:
    """Show an invitation to anybody with its link, and let the owner of its address accept or decline it."""
    found = queries.find_invitation(invitation_id, token)
    with tenant.within(found.organisation_id):
        try:
            check_is_open(found, timezone.now())
            return _answer(request, found)
        except Refused as refusal:
            return _render_invitation(request, found, status=409, refusal=str(refusal))


def _answer(request: HttpRequest, found: Invitation) -> HttpResponse:
    if isinstance(request.user, User):
        check_may_accept(found, request.user, timezone.now())
        return _decide(request, found, request.user) if request.method == "POST" else _render_invitation(request, found, may_decide=True)
    if User.objects.filter(email=found.email).exists():
        here = urlencode({"next": request.path})
        return _render_invitation(request, found, sign_in=f"{reverse('account_login')}?{here}", reset=reverse("account_reset_password"))
    form = AccountForm(found.email, queries.list_colleagues(found), *([request.POST] if request.method == "POST" else []))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        actions.accept_with_new_account(invitation=found, name=data["name"], password=data["password1"], at=timezone.now())
        messages.success(request, f"Your account is ready, and you belong to {found.organisation.name}. Sign in to begin.")
        return redirect("account_login")
    return _render_invitation(request, found, status=422 if form.errors else 200, form=form)


def _decide(request: HttpRequest, found: Invitation, user: User) -> HttpResponse:
    acts: dict[str, Callable[[], object]] = {
        "accept": lambda: actions.accept_invitation(invitation=found, user=user, at=timezone.now()),
        "decline": lambda: actions.decline_invitation(invitation=found, user=user, at=timezone.now()),
    }
    chosen = request.POST.get("do", "")
    if chosen not in acts:
        return _render_invitation(request, found, status=422, may_decide=True)
    acts[chosen]()
    if chosen == "decline":
        return _render_invitation(request, found, declined=True)
    messages.success(request, f"You belong to {found.organisation.name} now, as {Role(found.role).label.lower()}.")
    return redirect("organisations")


def _render_invitation(request: HttpRequest, found: Invitation, *, status: int = 200, **said: object) -> HttpResponse:
    nothing: dict[str, Any] = {"refusal": "", "declined": False, "may_decide": False, "sign_in": "", "reset": "", "form": None}
    context = nothing | said | {"invitation": found, "invited_as": Role(found.role).label.lower()}
    return render(request, "accounts/invitation.html", context, status=status)


@require_GET
@requires(Permission.READ_ITEMS)
def own_tokens(request: MemberRequest) -> HttpResponse:
    """List the member's tokens in this organisation."""
    return _render_tokens(request, _token_form(request.member))


@require_POST
@requires(Permission.READ_ITEMS)
@requires_proof(Purpose.TOKEN)
def make_own_token(request: MemberRequest) -> HttpResponse:
    """Make a token and own_tokens its secret, this once."""
    form = _token_form(request.member, request.POST)
    if not form.is_valid():
        return _render_tokens(request, form, status=422)
    now, data = timezone.now(), form.cleaned_data
    until = now + timedelta(days=data["days"])
    try:
        _, secret = make_token(member=request.member, name=data["name"], scope=data["scope"], at=now, expires_at=until)
    except Refused as refusal:
        return _render_tokens(request, form, status=refusal.status, notice=str(refusal))
    return _render_tokens(request, _token_form(request.member), secret=secret)


@require_POST
@requires(Permission.READ_ITEMS)
def end_own_token(request: MemberRequest, token_id: UUID) -> HttpResponse:
    """End one of the member's own tokens."""
    token = get_object_or_404(MemberToken.objects.select_related("membership"), pk=token_id, membership=request.member)
    return _end_token(request, token, "tokens")


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def end_member_token(request: MemberRequest, token_id: UUID) -> HttpResponse:
    """End a token of any member of the organisation."""
    found = MemberToken.objects.select_related("membership").filter(organisation=request.member.organisation)
    return _end_token(request, get_object_or_404(found, pk=token_id), "members")


def _end_token(request: MemberRequest, token: MemberToken, leads_to: str) -> HttpResponse:
    end_token(token=token, because=Because.ASKED, at=timezone.now(), by=user_actor(request.member.user_id))
    messages.success(request, f"The token “{token.name}” no longer works.")
    return redirect(leads_to)


def _token_form(member: Membership, *data: Any) -> TokenForm:
    return TokenForm([scope for scope in TokenScope if may_use(member, scope)], *data)


def _render_tokens(request: MemberRequest, form: TokenForm, *, status: int = 200, notice: str = "", secret: str = "") -> HttpResponse:
    context = {
        "tokens": list_own_tokens(request.member, timezone.now()),
        "form": form,
        "secret": secret,
        "notice": notice,
        "may_make": may_use(request.member, TokenScope.READ),
        "has_factor": has_second_factor(request.member.user),
    }
    return render(request, "accounts/tokens.html", context, status=status)
