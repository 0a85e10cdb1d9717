"""Forms of the settings pages."""

from __future__ import annotations

from typing import Any

from django import forms

from reviewers.accounts.models import Role, Scope, SearchWay
from reviewers.accounts.policies import can_be_chosen
from reviewers.accounts.retention import LONGEST_YEARS, SHORTEST_YEARS, Kind
from reviewers.web.dates import DayField


class SwitchForm(forms.Form):
    """On or off."""

    on = forms.TypedChoiceField(choices=[("1", "on"), ("0", "off")], coerce=lambda value: value == "1")


class SearchWayForm(forms.Form):
    """A way of looking for citations that this deployment can go."""

    to = forms.TypedChoiceField(choices=lambda: [each for each in SearchWay.choices if can_be_chosen(SearchWay(each[0]))], coerce=SearchWay)


class ServiceKeyForm(forms.Form):
    """A new key."""

    name = forms.CharField(max_length=100, label="Name", help_text="What uses it, for example “agent runtime, production”.")
    scopes = forms.MultipleChoiceField(choices=Scope, widget=forms.CheckboxSelectMultiple, label="May")
    days = forms.TypedChoiceField(
        choices=[("365", "a year"), ("90", "90 days"), ("30", "30 days"), ("", "until it is revoked")],
        coerce=int,
        initial="365",
        empty_value=None,
        required=False,
        label="Works for",
    )


class InviteForm(forms.Form):
    """An invitation: to which address, and as what."""

    email = forms.EmailField(max_length=254, label="E-mail address", help_text="The invitation goes there, and to nobody else.")
    role = forms.ChoiceField(choices=Role, label="Role")
    reason = forms.CharField(
        max_length=500, required=False, label="From outside: why", help_text="Only for an auditor from outside. Text is masked for them."
    )
    until = DayField(
        required=False,
        label="From outside: last day",
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="Then the membership ends.",
    )

    def clean(self) -> dict[str, Any]:
        """Being from outside takes both a reason and a day, and the role of an auditor."""
        data = super().clean() or {}
        given = [name for name in ("reason", "until") if data.get(name)]
        if len(given) == 1 and not self.errors:
            self.add_error(given[0], "Somebody from outside needs a reason and a last day.")
        if given and data.get("role") not in (Role.AUDITOR, None):
            self.add_error("role", "Only an auditor can be from outside.")
        return data


class OutsideForm(forms.Form):
    """Why an auditor from outside is let in, and until the end of which day."""

    reason = forms.CharField(max_length=500)
    until = DayField()


class RoleForm(forms.Form):
    """Another role."""

    role = forms.ChoiceField(choices=Role)


class PeriodForm(forms.Form):
    """For how many years a kind of record is kept."""

    kind = forms.ChoiceField(choices=Kind)
    years = forms.IntegerField(min_value=SHORTEST_YEARS, max_value=LONGEST_YEARS)


class PageForm(forms.Form):
    """The path of a page."""

    page = forms.CharField(max_length=200)


class DraftForm(PageForm):
    """What is being written, and where: on which page, and in which field, by a name that only the page understands."""

    field = forms.CharField(max_length=200)
    text = forms.CharField(max_length=5000, required=False, strip=False)
