"""What is chosen to be judged."""

from __future__ import annotations

from uuid import UUID

from django import forms

from reviewers.review.policies import Invalid


class JudgeForm(forms.Form):
    """The plan whose answers are judged."""

    plan = forms.UUIDField()

    def chosen(self) -> UUID:
        """Its identifier. Raises ``Invalid`` where none was chosen."""
        if not self.is_valid():
            raise Invalid("Choose a plan.")
        chosen: UUID = self.cleaned_data["plan"]
        return chosen
