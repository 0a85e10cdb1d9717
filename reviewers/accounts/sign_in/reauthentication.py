"""Some things ask who one is once more: a session that somebody else got hold of must not be enough for them.

A view says so below its permission::

    @require_POST
    @requires(Permission.EXPORT)
    @requires_proof(Purpose.EXPORT)
    def export(request): ...

Whoever comes without a fresh proof is asked for the password, and for a code of their second factor where they have one; then the
request goes on as it was sent. A form that leads here is a plain one, without htmx and files, and has no fields ``password``, ``code``
and ``proof``. The proof holds for this session, this purpose, and this organisation, and is used up by the act in its transaction;
for a few purposes it holds for some minutes (``WINDOWS``).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.models import Proof
from reviewers.accounts.permissions import MemberRequest
from reviewers.accounts.sign_in.proofs import ProofForm, open_proofs, use_proof
from reviewers.web.http.responses import is_fragment, page_of, redirect_window

P = ParamSpec("P")
View = Callable[Concatenate[MemberRequest, P], HttpResponse]

_OWN_FIELDS = frozenset({"csrfmiddlewaretoken", "password", "code", "credential", "proof"})


class Purpose(StrEnum):
    """What somebody proves who they are for. Stored in events: a word here is never given another meaning."""

    SIGN = "sign"
    EXPORT = "export"
    IMPORT = "import"
    APPROVE = "approve"
    MANAGE = "manage"
    ACCOUNT = "account"
    REDACT = "redact"
    HOLD = "hold"


WORDS: dict[Purpose, str] = {
    Purpose.SIGN: "sign",
    Purpose.EXPORT: "export what is recorded here",
    Purpose.IMPORT: "bring labels in from elsewhere",
    Purpose.APPROVE: "approve a profile, which changes what confidences say",
    Purpose.MANAGE: "change who may come in",
    Purpose.ACCOUNT: "change how or where you are signed in",
    Purpose.REDACT: "take parts out of a record for good",
    Purpose.HOLD: "place or lift a legal hold",
}
"""What one is about to do, as the page says it."""

WINDOWS = frozenset({Purpose.EXPORT, Purpose.ACCOUNT})
"""Purposes whose proof holds for all acts of a few minutes; a proof for any other one is used up by its act.

A report is asked for, and then taken in several files; how one signs in is changed over several pages, by the sign-in package.
"""


def requires_proof(purpose: Purpose, *, asked_at: str = "") -> Callable[[View[P]], View[P]]:
    """Ask who one is once more before a view answers.

    ``asked_at`` names the page of a form with a file, which cannot wait meanwhile: it is filled in again from there.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def proved(request: MemberRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            def act() -> HttpResponse:
                return view(request, *args, **kwargs)

            if done := _act_with_proof(request, purpose, None, act):
                return done
            if request.method != "POST" or is_fragment(request) or asked_at:
                return redirect_window(request, proof_address(purpose, reverse(asked_at) if asked_at else page_of(request)))
            form = _form_of(request, purpose)
            if form is None or not form.is_valid():
                return render_proof(request, purpose, form or ProofForm(request, purpose), carried=request.POST)
            return _act_with_proof(request, purpose, form.proof, act) or render_proof(request, purpose, form, carried=request.POST)

        proved.purpose = purpose  # type: ignore[attr-defined]
        return cast("View[P]", proved)

    return decorate


def has_proof(request: MemberRequest, purpose: Purpose) -> bool:
    """Return True if there is a fresh proof for the purpose that was not used yet."""
    return _open(request, purpose).exists()


def _act_with_proof(request: MemberRequest, purpose: Purpose, only: Proof | None, act: Callable[[], HttpResponse]) -> HttpResponse | None:
    """Act, with the proof that was just given or any fresh one; return None, without acting, if there is none."""
    if purpose not in WINDOWS:
        return _use_up(request, purpose, only, act)
    return act() if only or has_proof(request, purpose) else None


def _use_up(request: MemberRequest, purpose: Purpose, only: Proof | None, act: Callable[[], HttpResponse]) -> HttpResponse | None:
    """Act, and use a proof up for it in one transaction; return None, without acting, if there is none.

    The row is locked first, and rows that others have locked are skipped: of two acts at once one gets the proof. An act that was refused,
    or rolled back, gives it back.
    """
    with transaction.atomic():
        found = _open(request, purpose).select_for_update(skip_locked=True)
        proof = (found.filter(pk=only.pk) if only else found).first()
        if proof is None:
            return None
        request.proof = proof
        response = act()
        if proof.used_at is None and response.status_code < HTTPStatus.BAD_REQUEST:
            use_proof(proof=proof, act=f"{request.method} {request.path}"[:200], now=timezone.now())
    return response


def _open(request: MemberRequest, purpose: Purpose) -> QuerySet[Proof]:
    whose = {"organisation_id": request.member.organisation_id, "user_id": request.member.user_id}
    return open_proofs(**whose, session_key=request.session.session_key, purpose=purpose.value, now=timezone.now())


def proof_address(purpose: Purpose, leads_to: str) -> str:
    """The page that asks, and leads on afterwards."""
    return f"{reverse('account_reauthenticate')}?{urlencode({'next': leads_to, 'for': purpose.value})}"


def render_proof(
    request: HttpRequest, purpose: Purpose, form: ProofForm, *, carried: QueryDict | None = None, leads_to: str = ""
) -> HttpResponse:
    """The page that asks. ``carried`` is a form that was sent already and waits for the proof: it goes on with it."""
    fields = [(name, value) for name, values in (carried or QueryDict()).lists() if name not in _OWN_FIELDS for value in values]
    context: dict[str, Any] = {"form": form, "purpose": purpose.value, "words": WORDS[purpose], "leads_to": leads_to}
    context |= {"action": request.get_full_path(), "carried": fields, "is_carried": carried is not None}
    return render(request, "accounts/proof.html", context, status=422 if form.errors else 200)


def _form_of(request: HttpRequest, purpose: Purpose) -> ProofForm | None:
    """The proof that came with the form, if it was the page that asks that sent it."""
    return ProofForm(request, purpose, request.POST) if request.POST.get("proof") == purpose.value else None
