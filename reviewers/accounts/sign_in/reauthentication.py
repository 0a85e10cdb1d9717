"""Reauthentication: some acts ask for a proof of identity, so that a stolen session is not enough for them.

A view asks for it below its permission::

    @require_POST
    @requires(Permission.EXPORT)
    @requires_proof(Purpose.EXPORT)
    def export(request): ...

Without a fresh proof the person is asked for the password, and for a code of their second factor if they have one; then the request
continues as it was sent. Such a form is a plain one, without htmx and files, and has no fields ``password``, ``code``, ``proof`` and
``back``. A proof is valid for one session, purpose and organisation. The act uses it up in its transaction; for a few purposes it is valid
for some minutes (``WINDOWS``).
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
from reviewers.web.http.responses import is_fragment, local_url, page_of, redirect_window

P = ParamSpec("P")
View = Callable[Concatenate[MemberRequest, P], HttpResponse]

_OWN_FIELDS = frozenset({"csrfmiddlewaretoken", "password", "code", "credential", "proof", "back"})


class Purpose(StrEnum):
    """The purposes of proofs. The values are part of audit events: a value never changes its meaning."""

    SIGN = "sign"
    EXPORT = "export"
    IMPORT = "import"
    PROPOSE = "propose"
    APPROVE = "approve"
    MANAGE = "manage"
    ACCOUNT = "account"
    REDACT = "redact"
    HOLD = "hold"
    SCHEMA = "schema"
    TRUST = "trust"
    WEBHOOK = "webhook"
    JUDGE = "judge"
    TOKEN = "token"  # noqa: S105 — a purpose


WORDS: dict[Purpose, str] = {
    Purpose.SIGN: "sign",
    Purpose.EXPORT: "export what is recorded here",
    Purpose.IMPORT: "bring labels in from elsewhere",
    Purpose.PROPOSE: "propose a profile, which another person may then approve",
    Purpose.APPROVE: "approve a profile, which changes what confidences say",
    Purpose.MANAGE: "change who may come in",
    Purpose.ACCOUNT: "change how or where you are signed in",
    Purpose.REDACT: "take parts out of a record for good",
    Purpose.HOLD: "place or lift a legal hold",
    Purpose.SCHEMA: "propose or approve a schema, which decides what can be cited",
    Purpose.TRUST: "propose or approve a table of trusted sources, which decides how far answers are trusted",
    Purpose.WEBHOOK: "have what happens here sent to an address outside",
    Purpose.JUDGE: "send the answers of a plan to a model that labels them",
    Purpose.TOKEN: "make a token with which programs act as you",
}
"""The act, in the words of the page that asks."""

WINDOWS = frozenset({Purpose.EXPORT, Purpose.ACCOUNT})
"""Purposes whose proof is valid for all acts of a few minutes; any other proof is used up by its act.

A report is requested and then downloaded in several files; allauth changes how a person signs in over several pages.
"""


def requires_proof(purpose: Purpose, *, first: Callable[..., object] | None = None, asked_at: str = "") -> Callable[[View[P]], View[P]]:
    """Ask for a proof of identity before a view responds.

    ``first`` looks at the request before anybody is asked: it raises ``Http404`` if there is nothing to act on, and may return a response,
    such as the form with what it lacks. ``asked_at`` names the page of a form with a file, which cannot be carried over: the person fills
    it in again there.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def proved(request: MemberRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            def act() -> HttpResponse:
                return view(request, *args, **kwargs)

            if first and isinstance(early := first(request, *args, **kwargs), HttpResponse):
                return early
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
    """Return True if there is a fresh, unused proof for the purpose."""
    return _open(request, purpose).exists()


def _act_with_proof(request: MemberRequest, purpose: Purpose, only: Proof | None, act: Callable[[], HttpResponse]) -> HttpResponse | None:
    """Act with the proof just given or any fresh one; return None, without acting, if there is none."""
    if purpose not in WINDOWS:
        return _use_up(request, purpose, only, act)
    return act() if only or has_proof(request, purpose) else None


def _use_up(request: MemberRequest, purpose: Purpose, only: Proof | None, act: Callable[[], HttpResponse]) -> HttpResponse | None:
    """Act and use a proof up in one transaction; return None, without acting, if there is none.

    The row is locked first, and rows that others have locked are skipped: of two concurrent acts one gets the proof. An act that is refused
    or rolled back does not use it up.
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
    """Return the address of the page that asks for a proof and then leads on."""
    return f"{reverse('account_reauthenticate')}?{urlencode({'next': leads_to, 'for': purpose.value})}"


def render_proof(
    request: HttpRequest, purpose: Purpose, form: ProofForm, *, carried: QueryDict | None = None, leads_to: str = ""
) -> HttpResponse:
    """Render the page that asks for a proof. ``carried`` is a form that was sent already and continues after the proof."""
    fields = [(name, value) for name, values in (carried or QueryDict()).lists() if name not in _OWN_FIELDS for value in values]
    context: dict[str, Any] = {"form": form, "purpose": purpose.value, "words": WORDS[purpose], "leads_to": leads_to}
    context |= {"action": request.get_full_path(), "carried": fields, "is_carried": carried is not None, "back": _page_before(request)}
    return render(request, "accounts/proof.html", context, status=422 if form.errors else 200)


def _page_before(request: HttpRequest) -> str:
    """Return the page of this site that the person came from before they were asked, or an empty string if it is unknown."""
    came_from = request.POST.get("back") or request.headers.get("Referer", "").removeprefix(f"{request.scheme}://{request.get_host()}")
    return local_url(request, came_from)


def _form_of(request: HttpRequest, purpose: Purpose) -> ProofForm | None:
    """Return the proof form if the request came from the page that asks for one."""
    return ProofForm(request, purpose, request.POST) if request.POST.get("proof") == purpose.value else None
