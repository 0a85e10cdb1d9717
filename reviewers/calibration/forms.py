"""Forms of decisions about profiles."""

from __future__ import annotations

from typing import Any, Self
from uuid import UUID

from django import forms
from django.http import QueryDict

from reviewers.accounts.policies import Invalid
from reviewers.calibration.models import ImportedSet
from reviewers.calibration.pages.planner import EXPECTED, MARGIN
from reviewers.review.forms import AnswerForm


class ProposeForm(forms.Form):
    """The imported sets that a profile uses besides the labels of reviewers."""

    imported = forms.ModelMultipleChoiceField(ImportedSet.objects.none(), required=False)

    def __init__(self, *args: Any, combination_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["imported"].queryset = ImportedSet.objects.filter(combination=combination_id).only("pk")  # type: ignore[attr-defined]

    def imports(self) -> list[UUID]:
        """Return the chosen sets; raise ``Invalid`` if one does not exist."""
        if not self.is_valid():
            raise Invalid("One of the imported sets is not there any more. Choose again.")
        return [each.pk for each in self.cleaned_data["imported"]]


class TransferForm(AnswerForm):
    """The profile to transfer."""

    complaint = "Choose the profile to take over."
    profile = forms.UUIDField()


class ApproveForm(AnswerForm):
    """The number of answers that change, as the approver read it."""

    complaint = "Type how many messages change, as a whole number."
    changed = forms.IntegerField(min_value=0, max_value=2**31 - 1)


class ReasonForm(AnswerForm):
    """The reason for a decision against a profile."""

    complaint = "Say why."
    reason = forms.CharField(max_length=2_000)


class MarginForm(forms.Form):
    """A claim to plan for: an expected share and its margin, in percent."""

    expected = forms.FloatField(min_value=0, max_value=100)
    margin = forms.FloatField(min_value=0.5, max_value=50)

    @classmethod
    def of(cls, data: QueryDict) -> Self:
        """Return the form with the given values, or the defaults."""
        usual = {"expected": f"{100 * EXPECTED:g}", "margin": f"{100 * MARGIN:g}"}
        return cls(usual | {name: data[name] for name in usual if name in data})

    def claim(self) -> tuple[float, float]:
        """Return share and margin as fractions; the defaults if the form is invalid."""
        if not self.is_valid():
            return EXPECTED, MARGIN
        return self.cleaned_data["expected"] / 100, self.cleaned_data["margin"] / 100
