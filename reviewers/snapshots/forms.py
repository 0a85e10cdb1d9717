"""Forms of the page of accesses."""

from __future__ import annotations

from typing import Any

from django import forms


class AccessForm(forms.Form):
    """Filters of an address; what makes no sense is passed over."""

    person = forms.UUIDField(required=False)
    record = forms.UUIDField(required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    before = forms.UUIDField(required=False)

    def value(self, name: str) -> Any:
        """The value of a filter, or nothing."""
        self.is_valid()
        return self.cleaned_data.get(name)


class ClientForm(forms.Form):
    """A client's reference."""

    client = forms.CharField(max_length=200, required=False)
