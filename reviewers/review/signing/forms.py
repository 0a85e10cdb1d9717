"""The form under which somebody signs."""

from __future__ import annotations

from uuid import UUID
from zoneinfo import available_timezones

from django import forms
from django.core.validators import RegexValidator

from reviewers.review.policies import Invalid
from reviewers.review.signature_models import Meaning
from reviewers.review.signing.actions import Intent
from reviewers.review.signing.policies import FOR_OTHERS

_DIGEST = RegexValidator(r"\Asha256:[0-9a-f]{64}\Z")


class SignForm(forms.Form):
    """What was shown when the page was opened, and the signer's time zone."""

    review = forms.UUIDField()
    digest = forms.CharField(validators=[_DIGEST])
    labels = forms.IntegerField(min_value=0)
    zone = forms.CharField(max_length=64)

    def clean_zone(self) -> str:
        """A name of the time zone database, such as Europe/Berlin."""
        zone: str = self.cleaned_data["zone"]
        if zone not in available_timezones():
            raise forms.ValidationError("There is no such time zone. One is, for example, Europe/Berlin or America/Denver.")
        return zone

    def intent(self, item_id: UUID) -> Intent:
        """What is meant. Raises ``Invalid`` where something lacks."""
        if not self.is_valid():
            raise Invalid(" ".join(f"{name.capitalize()}: {' '.join(map(str, errors))}" for name, errors in self.errors.items()))
        data = self.cleaned_data
        return Intent(item_id, data["review"], data["digest"], data["labels"], self.signed_as(), data["zone"])

    def signed_as(self) -> Meaning:
        """One's own review is signed as reviewed."""
        return Meaning.REVIEWED


class ApproveForm(SignForm):
    """The same, with what the review of somebody else is signed as."""

    meaning = forms.TypedChoiceField(choices=[(each.value, each.label) for each in FOR_OTHERS], coerce=Meaning)

    def signed_as(self) -> Meaning:
        """As it was chosen."""
        chosen: Meaning = self.cleaned_data["meaning"]
        return chosen
