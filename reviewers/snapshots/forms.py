"""Forms of the page of accesses."""

from __future__ import annotations

from typing import Any

from django import forms

from reviewers.web.moments import DayField


class AccessForm(forms.Form):
    """Filters of an address; what makes no sense is passed over."""

    person = forms.UUIDField(required=False)
    record = forms.UUIDField(required=False)
    since = DayField(required=False)
    until = DayField(required=False)
    before = forms.UUIDField(required=False)

    def value(self, name: str) -> Any:
        """The value of a filter, or nothing."""
        self.is_valid()
        return self.cleaned_data.get(name)


class ClientForm(forms.Form):
    """A client's reference."""

    client = forms.CharField(max_length=200, required=False)
