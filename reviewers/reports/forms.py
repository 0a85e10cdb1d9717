"""Forms of the list of suggestions."""

from __future__ import annotations

from datetime import date

from django import forms

from reviewers.web.moments import DayField


class NamesForm(forms.Form):
    """Names to look for. They are protected text, so they never stand in an address."""

    words = forms.CharField(required=False, max_length=200)


class DaysForm(forms.Form):
    """The days between which an answer was given; what is no day is left out."""

    since = DayField(required=False)
    until = DayField(required=False)

    def day(self, name: str) -> date | None:
        """A day, or nothing if it was none."""
        self.is_valid()
        day: date | None = self.cleaned_data.get(name)
        return day
