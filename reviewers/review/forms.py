"""Forms of the queue and the review page."""

from __future__ import annotations

from typing import Any

from django import forms

from reviewers.review.models import CitationVerdict, Verdict
from reviewers.web.dates import DayField

_VERDICTS = [choice for choice in Verdict.choices if choice[0] != Verdict.NONE]
_CITATION_VERDICTS = [choice for choice in CitationVerdict.choices if choice[0] != CitationVerdict.NONE]


class RowForm(forms.Form):
    """Which row of which attribution is meant: an attribution that was replaced meanwhile is a stale page."""

    row = forms.IntegerField(min_value=0)
    attribution = forms.UUIDField()
    reason = forms.CharField(required=False, max_length=2_000)


class CitationForm(forms.Form):
    """Which citation of which attribution is meant."""

    citation = forms.IntegerField(min_value=0)
    attribution = forms.UUIDField()
    reason = forms.CharField(required=False, max_length=2_000)


class CitationLabelForm(CitationForm):
    """A verdict on a citation."""

    verdict = forms.TypedChoiceField(choices=_CITATION_VERDICTS, coerce=CitationVerdict)


class CitationNoteForm(CitationForm):
    """A note to a citation; an empty one takes the note away."""

    note = forms.CharField(required=False, max_length=5_000)


class LabelForm(RowForm):
    """A verdict on a row."""

    verdict = forms.TypedChoiceField(choices=_VERDICTS, coerce=Verdict)


class NoteForm(RowForm):
    """A note to a row; an empty one takes the note away."""

    note = forms.CharField(required=False, max_length=5_000)


class SkipForm(forms.Form):
    """Why an item is put aside."""

    reason = forms.CharField(required=False, max_length=500)


class FlagForm(forms.Form):
    """A remark on a finding, which is named by its number in the attribution."""

    finding = forms.IntegerField(min_value=0)
    attribution = forms.UUIDField()
    note = forms.CharField(required=False, max_length=2_000)


class SearchForm(forms.Form):
    """Words to look for. They may be protected text, so they never stand in an address."""

    words = forms.CharField(required=False, max_length=300)


class FilterForm(forms.Form):
    """What can be asked of the list in an address; what makes no sense is left out."""

    since = DayField(required=False)
    until = DayField(required=False)
    flagged = forms.BooleanField(required=False)

    def value(self, name: str) -> Any:
        """A cleaned value, or nothing if it was none."""
        self.is_valid()
        return self.cleaned_data.get(name)
