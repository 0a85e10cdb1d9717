"""Forms of the queue and the review page."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from reviewers.accounts.policies import Invalid
from reviewers.review.models import CitationVerdict, Verdict
from reviewers.web.dates import DayField

_VERDICTS = [choice for choice in Verdict.choices if choice[0] != Verdict.NONE]
_CITATION_VERDICTS = [choice for choice in CitationVerdict.choices if choice[0] != CitationVerdict.NONE]


class AnswerForm(forms.Form):
    """A form of one field. ``complaint`` is said of anything that is not valid."""

    complaint: ClassVar[str]

    def answer(self) -> Any:
        """Return the value of the field. Raises ``Invalid`` if it is not valid."""
        if not self.is_valid():
            raise Invalid(self.complaint)
        (value,) = self.cleaned_data.values()
        return value


class PlaceForm(forms.Form):
    """A place in an attribution, and the reason for a change after submission. If the attribution was replaced the page is stale."""

    attribution = forms.UUIDField()
    reason = forms.CharField(required=False, max_length=2_000)


class RowForm(PlaceForm):
    """A field of an attribution."""

    field_order = ("row",)
    row = forms.IntegerField(min_value=0)


class CitationForm(PlaceForm):
    """A citation of an attribution. ``blind`` is true on the page of a blind review, which counts citations in its own order."""

    field_order = ("citation",)
    citation = forms.IntegerField(min_value=0)
    blind = forms.BooleanField(required=False)


class CitationLabelForm(CitationForm):
    """A verdict on a citation."""

    verdict = forms.TypedChoiceField(choices=_CITATION_VERDICTS, coerce=CitationVerdict)


class CitationNoteForm(CitationForm):
    """A note on a citation; an empty one deletes the note."""

    note = forms.CharField(required=False, max_length=5_000)


class LabelForm(RowForm):
    """A verdict on a field."""

    verdict = forms.TypedChoiceField(choices=_VERDICTS, coerce=Verdict)


class NoteForm(RowForm):
    """A note on a field; an empty one deletes the note."""

    note = forms.CharField(required=False, max_length=5_000)


class SkipForm(AnswerForm):
    """The reason for skipping an item."""

    complaint = "A reason has at most 500 characters."
    reason = forms.CharField(required=False, max_length=500)


class FlagForm(forms.Form):
    """A flag on a finding, which is named by its number in the attribution."""

    finding = forms.IntegerField(min_value=0)
    attribution = forms.UUIDField()
    note = forms.CharField(required=False, max_length=2_000)


class SearchForm(forms.Form):
    """Words to search for. They may be protected text, so they never appear in an address."""

    words = forms.CharField(required=False, max_length=300)


class FilterForm(forms.Form):
    """The filters of a list in an address. Values that are not valid are ignored."""

    since = DayField(required=False)
    until = DayField(required=False)
    flagged = forms.BooleanField(required=False)

    def value(self, name: str) -> Any:
        """Return a cleaned value, or None if it was not valid."""
        self.is_valid()
        return self.cleaned_data.get(name)


def errors_in_words(form: forms.Form) -> str:
    """Return the errors of a form, each after the name of its field."""
    return " ".join(f"{name.capitalize()}: {' '.join(map(str, errors))}" for name, errors in form.errors.items())
