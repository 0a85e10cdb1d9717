"""What is sent to bring labels in."""

from __future__ import annotations

from typing import Any

from django import forms

from reviewers.calibration.models import SeenCombination


class ImportForm(forms.Form):
    """A file, where it is from, and for labelled turns the combination that they stand for, if not the one they name."""

    file = forms.FileField(allow_empty_file=True, max_length=200)
    source = forms.CharField(max_length=200, required=False)
    combination = forms.ModelChoiceField(SeenCombination.objects.none(), required=False)

    def __init__(self, *args: Any, combinations: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["combination"].queryset = combinations  # type: ignore[attr-defined]

    def complaint(self) -> str:
        """What is wrong with it, in a sentence."""
        if "file" in self.errors:
            return "Choose a file."
        return "That combination is not there." if "combination" in self.errors else "Name the source in at most 200 characters."
