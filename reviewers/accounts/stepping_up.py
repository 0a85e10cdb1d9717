"""Some things ask who one is once more: a session that somebody else got hold of must not be enough for them.

A view says so below its permission::

    @require_POST
    @requires(Permission.EXPORT)
    @requires_proof(Purpose.EXPORT)
    def export(request): ...

Whoever comes without a fresh proof is asked for the password, and for a code of their second factor where they have one; then the
request goes on as it was sent. A form that leads here is a plain one, without htmx and files, and has no fields ``password``, ``code``
and ``proof``. The proof holds for this session, this purpose and a few minutes; that for a signature is used up by it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.permissions import MemberRequest
from reviewers.accounts.proofs import ProofForm
from reviewers.web.htmx import is_fragment, led_away, page_of

P = ParamSpec("P")
View = Callable[Concatenate[MemberRequest, P], HttpResponse]

_KEPT_IN = "proofs"
_OWN_FIELDS = frozenset({"csrfmiddlewaretoken", "password", "code", "proof"})


class Purpose(StrEnum):
    """What somebody proves who they are for. Stored in events: a word here is never given another meaning."""

    SIGN = "sign"
    EXPORT = "export"
    IMPORT = "import"
    APPROVE = "approve"
    MANAGE = "manage"
    ACCOUNT = "account"
    REDACT = "redact"


WORDS: dict[Purpose, str] = {
    Purpose.SIGN: "sign",
    Purpose.EXPORT: "export what is recorded here",
    Purpose.IMPORT: "bring labels in from elsewhere",
    Purpose.APPROVE: "approve a profile, which changes what confidences say",
    Purpose.MANAGE: "change who may come in",
    Purpose.ACCOUNT: "change how you sign in",
    Purpose.REDACT: "take parts out of a record for good",
}
"""What one is about to do, as the page says it."""

USED_UP = frozenset({Purpose.SIGN})
"""One proof, one signature."""


def requires_proof(purpose: Purpose, *, asked_at: str = "") -> Callable[[View[P]], View[P]]:
    """Ask who one is once more before a view answers.

    ``asked_at`` names the page of a form with a file, which cannot wait meanwhile: it is filled in again from there.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def proved(request: MemberRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if take_proof(request, purpose):
                return view(request, *args, **kwargs)
            if request.method != "POST" or is_fragment(request) or asked_at:
                return led_away(request, proof_address(purpose, reverse(asked_at) if asked_at else page_of(request)))
            form = _form_of(request, purpose)
            if form is None or not form.is_valid():
                return render_proof(request, purpose, form or ProofForm(request, purpose), carried=request.POST)
            if purpose not in USED_UP:
                keep_proof(request, purpose)
            return view(request, *args, **kwargs)

        proved.purpose = purpose  # type: ignore[attr-defined]
        return cast("View[P]", proved)

    return decorate


def keep_proof(request: HttpRequest, purpose: Purpose) -> None:
    """Remember, in this session, that the person has just proved who they are."""
    request.session[_KEPT_IN] = request.session.get(_KEPT_IN, {}) | {purpose.value: timezone.now().isoformat()}


def has_proof(request: HttpRequest, purpose: Purpose) -> bool:
    """Whether there is a fresh proof for the purpose."""
    given = request.session.get(_KEPT_IN, {}).get(purpose.value)
    return given is not None and timezone.now() - datetime.fromisoformat(given) < settings.PROOF_LASTS


def take_proof(request: HttpRequest, purpose: Purpose) -> bool:
    """Whether there is a fresh proof for the purpose; one that is used up by it is gone afterwards."""
    if not has_proof(request, purpose):
        return False
    if purpose in USED_UP:
        proofs = dict(request.session[_KEPT_IN])
        del proofs[purpose.value]
        request.session[_KEPT_IN] = proofs
    return True


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
