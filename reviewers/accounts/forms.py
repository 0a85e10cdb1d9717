"""Forms of the settings pages and of invitations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password

from reviewers.accounts.models import CitedUnit, QuoteDemand, Role, Scope, SearchWay, TokenScope, User
from reviewers.accounts.policies import can_be_chosen, is_plainly_written, letters_of, reads_like_one_of
from reviewers.accounts.retention import LONGEST_YEARS, SHORTEST_YEARS, RecordKind
from reviewers.accounts.sign_in.passwords import StrengthValidator
from reviewers.web.dates import DayField


class SwitchForm(forms.Form):
    """A switch turned on or off."""

    on = forms.TypedChoiceField(choices=[("1", "on"), ("0", "off")], coerce=lambda value: value == "1")


class SearchWayForm(forms.Form):
    """A way of looking for citations that this deployment supports."""

    to = forms.TypedChoiceField(choices=lambda: [each for each in SearchWay.choices if can_be_chosen(SearchWay(each[0]))], coerce=SearchWay)


class QuotesForm(forms.Form):
    """The setting for quotes in citations."""

    to = forms.TypedChoiceField(choices=QuoteDemand, coerce=QuoteDemand)


class SearchUnitForm(forms.Form):
    """The part of an answer that citations found afterwards are for."""

    to = forms.TypedChoiceField(choices=CitedUnit, coerce=CitedUnit)


class ServiceKeyForm(forms.Form):
    """A new service key."""

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


class TokenForm(forms.Form):
    """A new token of a member, for one of the scopes that their role allows."""

    name = forms.CharField(max_length=100, label="Name", help_text="What uses it, for example “my desk in the browser”.")
    scope = forms.TypedChoiceField(coerce=TokenScope, label="May")
    days = forms.TypedChoiceField(
        choices=[("30", "30 days"), ("90", "90 days"), ("365", "a year")], coerce=int, initial="90", label="Works for"
    )

    def __init__(self, scopes: Sequence[TokenScope], *args: Any) -> None:
        super().__init__(*args)
        self.fields["scope"].choices = [(scope.value, scope.label) for scope in scopes]  # type: ignore[attr-defined]


class InviteForm(forms.Form):
    """An invitation of an address to a role."""

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
        """Require a reason, a last day and the role of an auditor together for somebody from outside."""
        data = super().clean() or {}
        given = [name for name in ("reason", "until") if data.get(name)]
        if len(given) == 1 and not self.errors:
            self.add_error(given[0], "Somebody from outside needs a reason and a last day.")
        if given and data.get("role") not in (Role.AUDITOR, None):
            self.add_error("role", "Only an auditor can be from outside.")
        return data


_JOINERS = str.maketrans("", "", "\u200c\u200d")
"""Signs without width that some scripts need within words."""


class AccountForm(forms.Form):
    """The account of somebody who accepts an invitation: a name that none of ``colleagues`` has, and a password typed twice.

    Pages and reports show labels, decisions and signatures with the name alone.
    """

    name = forms.CharField(max_length=200, label="Your name", help_text="As it is printed beside what you sign.")
    password1 = forms.CharField(
        strip=False, max_length=1000, label="Password", widget=forms.PasswordInput, help_text=StrengthValidator().get_help_text()
    )
    password2 = forms.CharField(strip=False, max_length=1000, label="Password again", widget=forms.PasswordInput)

    def __init__(self, email: str, colleagues: Iterable[str], *args: Any) -> None:
        super().__init__(*args)
        self._email, self._colleagues = email, list(colleagues)
        self.fields["name"].widget.attrs["autocomplete"] = "name"
        for field in ("password1", "password2"):
            self.fields[field].widget.attrs["autocomplete"] = "new-password"

    def clean_name(self) -> str:
        """Return the name with single spaces. Refuse what cannot be seen or looks like other letters, and the name of a colleague."""
        name = " ".join(str(self.cleaned_data["name"]).split())
        if not name.translate(_JOINERS).isprintable() or not letters_of(name):
            raise forms.ValidationError("A name has letters, and no signs that cannot be seen.")
        if reads_like_one_of(name, self._colleagues):
            raise forms.ValidationError("Somebody here has this name. Add what tells you apart, such as a middle name or your profession.")
        if not is_plainly_written(name.translate(_JOINERS)):
            raise forms.ValidationError("Write each word of your name in the letters of one alphabet, without signs that are in no name.")
        return name

    def clean(self) -> dict[str, Any]:
        """Compare both passwords and validate them."""
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


class OutsideForm(forms.Form):
    """The reason and the last day of an auditor from outside."""

    reason = forms.CharField(max_length=500)
    until = DayField()


class RoleForm(forms.Form):
    """A new role of a member."""

    role = forms.ChoiceField(choices=Role)


class PeriodForm(forms.Form):
    """The number of years for which a kind of record is kept."""

    kind = forms.ChoiceField(choices=RecordKind)
    years = forms.IntegerField(min_value=SHORTEST_YEARS, max_value=LONGEST_YEARS)


class PageForm(forms.Form):
    """The path of a page."""

    page = forms.CharField(max_length=200)


class DraftForm(PageForm):
    """A draft: its page, its text, and its field under a name that only the page interprets."""

    field = forms.CharField(max_length=200)
    text = forms.CharField(max_length=5000, required=False, strip=False)
