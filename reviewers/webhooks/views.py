"""Pages of webhooks under Settings, for administrators, with what was delivered; and the page of one's own mail."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.forms import SwitchForm
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.webhooks import actions, queries
from reviewers.webhooks.addresses import LONGEST_ADDRESS, RefusedAddress, read_address
from reviewers.webhooks.mail import kinds_for
from reviewers.webhooks.models import EventKind


class EndpointForm(forms.Form):
    """A new endpoint."""

    address = forms.CharField(
        max_length=LONGEST_ADDRESS,
        label="Address",
        help_text="Begins with https://. It is in no private network.",
        widget=forms.TextInput(attrs={"size": 60, "inputmode": "url", "autocomplete": "off"}),
    )
    kinds = forms.MultipleChoiceField(choices=EventKind, widget=forms.CheckboxSelectMultiple, label="Send when")
    includes_text = forms.BooleanField(required=False)

    def clean_address(self) -> str:
        """Return the address if something may be sent to it."""
        address = str(self.cleaned_data["address"])
        try:
            read_address(address)
        except RefusedAddress as refused:
            raise forms.ValidationError(str(refused)) from None
        return address


class MailForm(forms.Form):
    """The mail that somebody gets, of the kinds that their role may read about."""

    kinds = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple, label="Write to me when")
    pace = forms.ChoiceField(
        choices=[("now", "at once"), ("daily", "once a day, in the morning")], widget=forms.RadioSelect, label="Send it", initial="now"
    )

    def __init__(self, member: Membership, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = cast("forms.MultipleChoiceField", self.fields["kinds"])
        kinds.choices = [(kind.value, kind.label) for kind in kinds_for(member)]


class DeliveriesForm(forms.Form):
    """The place in the list of deliveries."""

    before = forms.UUIDField(required=False)


@require_GET
@requires(Permission.MANAGE_WEBHOOKS)
def endpoints(request: MemberRequest) -> HttpResponse:
    """List the endpoints, and show the form to add one."""
    return _render_list(request, EndpointForm())


@require_POST
@requires(Permission.MANAGE_WEBHOOKS)
@requires_proof(Purpose.WEBHOOK)
def add(request: MemberRequest) -> HttpResponse:
    """Add an endpoint and show its secret, this once."""
    form = EndpointForm(request.POST)
    if not form.is_valid():
        return _render_list(request, form, status=422)
    try:
        _, secret = actions.add_endpoint(**form.cleaned_data, by=request.member, now=timezone.now())
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return _render_list(request, form, status=refusal.status)
    return _render_list(request, EndpointForm(), secret)


@require_GET
@requires(Permission.MANAGE_WEBHOOKS)
def deliveries(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    """Show an endpoint and the deliveries to it."""
    return _render(request, endpoint_id)


@require_POST
@requires(Permission.MANAGE_WEBHOOKS)
@requires_proof(Purpose.WEBHOOK)
def switch(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    """Switch an endpoint on or off."""
    form = SwitchForm(request.POST)
    if not form.is_valid():
        return _render(request, endpoint_id, "Nothing was switched.", 422)
    try:
        actions.switch_endpoint(endpoint_id=endpoint_id, on=form.cleaned_data["on"], by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render(request, endpoint_id, str(refusal), refusal.status)
    return redirect("endpoint", endpoint_id)


@require_POST
@requires(Permission.MANAGE_WEBHOOKS)
def send_again(request: MemberRequest, delivery_id: UUID) -> HttpResponse:
    """Have a delivery sent again."""
    try:
        delivery = actions.send_again(delivery_id=delivery_id, by=request.member, now=timezone.now())
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("endpoints")
    messages.success(request, "The delivery is sent again in the background.")
    return redirect("endpoint", delivery.endpoint_id)


@require_GET
@requires(Permission.READ_HOME)
def mail(request: MemberRequest) -> HttpResponse:
    """Show what somebody gets mail about."""
    chosen = queries.find_mail(request.member)
    initial = {"kinds": chosen.kinds, "pace": "daily" if chosen.is_daily else "now"} if chosen and not chosen.off_reason else None
    return _render_mail(request, MailForm(request.member, initial=initial))


@require_POST
@requires(Permission.READ_HOME)
def choose_mail(request: MemberRequest) -> HttpResponse:
    """Choose what to get mail about."""
    form = MailForm(request.member, request.POST)
    if not form.is_valid():
        return _render_mail(request, form, status=422)
    data = form.cleaned_data
    actions.choose_mail(kinds=data["kinds"], is_daily=data["pace"] == "daily", by=request.member, now=timezone.now())
    messages.success(request, "Kept. You get mail about this." if data["kinds"] else "Kept. You get no mail.")
    return redirect("mail")


def _render_mail(request: MemberRequest, form: MailForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "organisation": request.member.organisation, "address": request.member.user.email}
    return render(request, "webhooks/mail.html", context, status=status)


def _render_list(request: MemberRequest, form: EndpointForm, secret: str = "", status: int = 200) -> HttpResponse:
    organisation = request.member.organisation
    context = {"organisation": organisation, "rows": queries.list_endpoints(organisation), "form": form, "secret": secret}
    return render(request, "webhooks/endpoints.html", context, status=status)


def _render(request: MemberRequest, endpoint_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    found = queries.find_endpoint(request.member.organisation, endpoint_id)
    if found is None:
        raise Http404
    form = DeliveriesForm(request.GET)
    rows = queries.list_deliveries(found, form.cleaned_data["before"] if form.is_valid() else None)
    shown = rows[: queries.PAGE_SIZE]
    older = shown[-1].id if len(rows) > len(shown) else None
    context: dict[str, Any] = {"row": found, "deliveries": shown, "older": older, "notice": notice}
    return render(request, "webhooks/endpoint.html", context, status=status)
