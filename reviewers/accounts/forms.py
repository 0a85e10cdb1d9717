"""Forms of the settings page."""

from __future__ import annotations

from django import forms

from reviewers.accounts.models import Scope


class SwitchForm(forms.Form):
    """On or off."""

    on = forms.TypedChoiceField(choices=[("1", "on"), ("0", "off")], coerce=lambda value: value == "1")


class ServiceKeyForm(forms.Form):
    """A new key."""

    name = forms.CharField(max_length=100, label="Name", help_text="What uses it, for example “agent runtime, production”.")
    scopes = forms.MultipleChoiceField(choices=Scope, widget=forms.CheckboxSelectMultiple, label="May")
