"""What is typed to decide of a profile."""

from __future__ import annotations

from django import forms

from reviewers.review.policies import Invalid


class ApproveForm(forms.Form):
    """How many messages change, as the approver read it."""

    changed = forms.IntegerField(min_value=0, max_value=2**31 - 1)

    def count(self) -> int:
        """The number. Raises ``Invalid`` where none was typed."""
        if not self.is_valid():
            raise Invalid("Type how many messages change, as a whole number.")
        typed: int = self.cleaned_data["changed"]
        return typed


class ReasonForm(forms.Form):
    """Why somebody decides against a profile."""

    reason = forms.CharField(max_length=2_000)

    def said(self) -> str:
        """The reason. Raises ``Invalid`` where there is none."""
        if not self.is_valid():
            raise Invalid("Say why.")
        reason: str = self.cleaned_data["reason"]
        return reason
