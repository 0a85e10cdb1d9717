"""The forms under which a hold is placed and its lifting proposed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms

from reviewers.review.hold_models import HoldKind
from reviewers.review.holds.terms import HoldTerms
from reviewers.review.plan_models import Plan

_LONGEST_REASON = 2_000


class HoldForm(forms.Form):
    """What is held, and why. Of the fields that say what, only those of the chosen kind are read."""

    kind = forms.ChoiceField(choices=HoldKind.choices, initial=HoldKind.CLIENT.value)
    client = forms.CharField(max_length=200, required=False)
    conversation = forms.CharField(max_length=200, required=False)
    plan = forms.ChoiceField(required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    reason = forms.CharField(max_length=_LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, *args: Any, organisation_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        plans = Plan.objects.filter(organisation=organisation_id).order_by("-id").values_list("pk", "name")
        self.fields["plan"].choices = [("", "Choose a plan"), *((str(key), name) for key, name in plans)]  # type: ignore[attr-defined]  # a choice

    def terms(self) -> HoldTerms:
        """Return what was asked for."""
        data, kind = self.cleaned_data, HoldKind(self.cleaned_data["kind"])
        if kind is HoldKind.PLAN:
            return HoldTerms(kind, data["reason"], plan_id=UUID(data["plan"]) if data["plan"] else None)
        if kind is HoldKind.PERIOD:
            return HoldTerms(kind, data["reason"], since=data["since"], until=data["until"])
        return HoldTerms(kind, data["reason"], reference=data[kind.value])


class SubjectForm(forms.Form):
    """What the address of an empty form names: an answer, whose client or conversation is held, or a plan."""

    item = forms.UUIDField(required=False)
    plan = forms.UUIDField(required=False)


class LiftForm(forms.Form):
    """Why a hold can be lifted."""

    reason = forms.CharField(max_length=_LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}))
