"""The forms of leads."""

from __future__ import annotations

from uuid import UUID

from django import forms

from reviewers.review.deciding.actions import Ruling
from reviewers.review.policies import Invalid


class DecideForm(forms.Form):
    """What was seen, what is decided, and why. ``labels`` are the identifiers of those decided between, between commas."""

    attribution = forms.UUIDField()
    labels = forms.CharField(max_length=400)
    verdict = forms.CharField(required=False, max_length=16)
    reason = forms.CharField(required=False, max_length=2_000)

    def clean_labels(self) -> list[UUID]:
        """As identifiers."""
        try:
            return [UUID(each) for each in self.cleaned_data["labels"].split(",")]
        except ValueError as error:
            raise forms.ValidationError("These are no labels.") from error

    def ruling(self, item_id: UUID) -> Ruling:
        """What is meant. Raises ``Invalid`` where the form is none of ours, or too long."""
        if not self.is_valid():
            raise Invalid(" ".join(f"{name.capitalize()}: {' '.join(map(str, errors))}" for name, errors in self.errors.items()))
        data = self.cleaned_data
        return Ruling(item_id, data["attribution"], data["labels"], data["verdict"], data["reason"])


class ReopenForm(forms.Form):
    """Why something is reviewed once more."""

    reason = forms.CharField(required=False, max_length=2_000)

    def why(self) -> str:
        """The reason; empty where there is none."""
        if not self.is_valid():
            raise Invalid("A reason has at most 2,000 characters.")
        said: str = self.cleaned_data["reason"]
        return said
