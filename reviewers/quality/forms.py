"""What can be asked of the quality page in an address; what makes no sense is left out."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from reviewers.quality.periods import Period, period_of
from reviewers.quality.totals import Chosen
from reviewers.snapshots.display import storable
from reviewers.web.moments import DayField


class ChoiceForm(forms.Form):
    """A period; the names of a model and of a prompt version may be empty, so they are read beside it."""

    since = DayField(required=False)
    until = DayField(required=False)


def read_choice(data: QueryDict, ends: Period) -> Chosen:
    """The choice of an address; a name that stands there and is empty means answers without one."""
    form = ChoiceForm(data)
    form.is_valid()
    period = period_of(form.cleaned_data.get("since"), form.cleaned_data.get("until"), ends)
    return Chosen(period, _name(data.get("model")), _name(data.get("prompt")))


def _name(given: str | None) -> str | None:
    return None if given is None else storable(given)


class ReasonForm(forms.Form):
    """Why an alarm may rest."""

    reason = forms.CharField(max_length=2_000)
