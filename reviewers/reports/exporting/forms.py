"""Forms of exports."""

from __future__ import annotations

from typing import Any

from django import forms

from reviewers.reports.exporting.formats.every import offered
from reviewers.reports.exporting.scope import Kind, Scope
from reviewers.reports.least.profiles import CHOICES, Profile
from reviewers.web.moments import DayField

_LONGEST_REASON = 1_000


class ExportForm(forms.Form):
    """What is exported, as what, and why. ``object`` names the answer or the plan, where it is of one."""

    kind = forms.ChoiceField(choices=[(kind.value, kind.value) for kind in Kind], initial=Kind.PERIOD.value)
    object = forms.UUIDField(required=False, widget=forms.HiddenInput)
    since = DayField(required=False)
    until = DayField(required=False)
    submitted_only = forms.BooleanField(required=False)
    all_fields = forms.BooleanField(required=False)
    profile = forms.ChoiceField(choices=[(each.value, each.value) for each in CHOICES], initial=Profile.FULL.value, required=False)
    form = forms.ChoiceField(choices=[(each.name, each.label) for each in offered()], initial="pdf")
    reason = forms.CharField(max_length=_LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 2}))

    def clean(self) -> dict[str, Any]:
        """What only makes sense together."""
        data = super().clean() or {}
        if data.get("kind") != Kind.PERIOD.value and not data.get("object") and "object" not in self.errors:
            self.add_error("kind", "Say which one, by its own page.")
        if data.get("since") and data.get("until") and data["since"] > data["until"]:
            self.add_error("until", "The last day lies before the first.")
        return data

    def scope(self) -> Scope:
        """What is asked for."""
        data = self.cleaned_data
        kind = Kind(data["kind"])
        if kind is not Kind.PERIOD:
            return Scope(kind, data["object"], all_fields=data["all_fields"], profile=self._profile())
        days = {"since": data["since"], "until": data["until"], "submitted_only": data["submitted_only"]}
        return Scope(kind, **days, all_fields=data["all_fields"], profile=self._profile())

    def _profile(self) -> Profile:
        return Profile(self.cleaned_data["profile"] or Profile.FULL)
