"""The form of somebody who accepts an invitation and has no account yet."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password

from reviewers.accounts.models import User
from reviewers.accounts.passwords import StrengthValidator


class AccountForm(forms.Form):
    """A name and a password, typed twice. The password's rules are the ones of every password."""

    name = forms.CharField(max_length=200, label="Your name", help_text="As it is printed beside what you sign.")
    password1 = forms.CharField(
        strip=False, max_length=1000, label="Password", widget=forms.PasswordInput, help_text=StrengthValidator().get_help_text()
    )
    password2 = forms.CharField(strip=False, max_length=1000, label="Password again", widget=forms.PasswordInput)

    def __init__(self, email: str, *args: Any) -> None:
        super().__init__(*args)
        self._email = email
        self.fields["name"].widget.attrs["autocomplete"] = "name"
        for field in ("password1", "password2"):
            self.fields[field].widget.attrs["autocomplete"] = "new-password"

    def clean(self) -> dict[str, Any]:
        """Compare both passwords and apply the rules."""
        data = super().clean() or self.cleaned_data
        if self.errors:
            return data
        if data["password1"] != data["password2"]:
            self.add_error("password2", "The two passwords differ.")
            return data
        try:
            validate_password(data["password1"], User(email=self._email, name=data["name"]))
        except forms.ValidationError as error:
            self.add_error("password1", error)
        return data
