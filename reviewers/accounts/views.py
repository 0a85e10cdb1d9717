"""The organisation's settings: switches and service keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings as deployment
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts import actions, queries
from reviewers.accounts.announcements import user_actor
from reviewers.accounts.forms import SearchWayForm, ServiceKeyForm, SwitchForm
from reviewers.accounts.models import Role, ServiceKey
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.stepping_up import Purpose, requires_proof

HOME_BY_ROLE = {Role.ADMINISTRATOR: "settings", Role.COORDINATOR: "suggestions"}


@require_GET
@requires(Permission.READ_HOME)
def home(request: MemberRequest) -> HttpResponse:
    """Where each role's work begins."""
    return redirect(HOME_BY_ROLE.get(Role(request.member.role), "queue"))


@require_GET
@requires(Permission.READ_SETTINGS)
def settings(request: MemberRequest) -> HttpResponse:
    """Switches and keys; those who may not change them see how they stand."""
    return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm()))


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_citations(request: MemberRequest) -> HttpResponse:
    """Ask the assistant for citations, or stop."""
    return _switch(request, actions.switch_citations)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_repair(request: MemberRequest) -> HttpResponse:
    """Attach evidence to answers that cite nothing, or stop."""
    return _switch(request, actions.switch_repair)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_citation_search(request: MemberRequest) -> HttpResponse:
    """Choose how citations are looked for afterwards."""
    form = SearchWayForm(request.POST)
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm()), status=422)
    by = user_actor(request.member.user_id)
    actions.switch_citation_search(organisation=request.member.organisation, to=form.cleaned_data["to"], at=timezone.now(), by=by)
    return redirect("settings")


@require_POST
@requires(Permission.MANAGE_SIGN_IN)
def switch_second_factor(request: MemberRequest) -> HttpResponse:
    """Require a second factor, or leave it to each member; where the deployment requires it of everybody there is nothing to switch."""
    if deployment.SECOND_FACTOR_REQUIRED:
        messages.error(request, "A second factor is required of everybody in this deployment, so nothing was switched.")
        return redirect("settings")
    return _switch(request, actions.switch_second_factor)


@require_POST
@requires(Permission.MANAGE_SIGN_IN)
def switch_asking_why(request: MemberRequest) -> HttpResponse:
    """Ask for a reason before a record is opened that is not in one's own queue, or stop."""
    return _switch(request, actions.switch_asking_why)


def _switch(request: MemberRequest, switch: Callable[..., None]) -> HttpResponse:
    form = SwitchForm(request.POST)
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm()), status=422)
    switch(organisation=request.member.organisation, on=form.cleaned_data["on"], at=timezone.now(), by=user_actor(request.member.user_id))
    return redirect("settings")


@require_POST
@requires(Permission.MANAGE_KEYS)
@requires_proof(Purpose.MANAGE)
def create_key(request: MemberRequest) -> HttpResponse:
    """Make a key and show its secret, this once."""
    form = ServiceKeyForm(request.POST)
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, form), status=422)
    now, days = timezone.now(), form.cleaned_data["days"]
    _, secret = actions.create_service_key(
        organisation=request.member.organisation,
        owner=request.member.user,
        name=form.cleaned_data["name"],
        scopes=form.cleaned_data["scopes"],
        at=now,
        expires_at=now + timedelta(days=days) if days else None,
        by=user_actor(request.member.user_id),
    )
    return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm()) | {"secret": secret})


@require_POST
@requires(Permission.MANAGE_KEYS)
def revoke_key(request: MemberRequest, key_id: UUID) -> HttpResponse:
    """Stop a key."""
    key = get_object_or_404(ServiceKey, pk=key_id, organisation=request.member.organisation)
    actions.revoke_service_key(key=key, at=timezone.now(), by=user_actor(request.member.user_id))
    messages.success(request, f"“{key.name}” no longer works.")
    return redirect("settings")


def _settings(request: MemberRequest, form: ServiceKeyForm) -> dict[str, Any]:
    organisation = request.member.organisation
    return {
        "organisation": organisation,
        "is_required_of_everybody": deployment.SECOND_FACTOR_REQUIRED,
        "ways": queries.list_search_ways(organisation),
        "keys": queries.list_service_keys(organisation, timezone.now()),
        "form": form,
    }
