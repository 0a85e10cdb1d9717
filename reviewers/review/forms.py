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
    """A flag on a finding by its number, or on another ``place``: *row-3*, *citation-0*, or *words* for those copied from the answer."""

    finding = forms.IntegerField(min_value=0, required=False)
    place = forms.RegexField(r"^(row-\d{1,6}|citation-\d{1,6}|words)\Z", required=False)
    words = forms.CharField(required=False, max_length=2_000)
    attribution = forms.UUIDField()
    blind = forms.BooleanField(required=False)
    note = forms.CharField(required=False, max_length=2_000)

    def clean(self) -> dict[str, Any]:
        """Refuse a form that names nothing. Words that were copied are meant where no other place was chosen."""
        given = self.cleaned_data
        if given.get("finding") is None and not given.get("place"):
            if not given.get("words"):
                raise forms.ValidationError("Nothing is flagged.")
            given["place"] = "words"
        return given


class ClaimForm(PlaceForm):
    """Words of the answer that nothing in the record supports; ``occurrence`` counts if the answer has them more than once."""

    words = forms.CharField(required=False, max_length=2_000)
    occurrence = forms.IntegerField(required=False, min_value=1, max_value=1_000)
    note = forms.CharField(required=False, max_length=5_000)


class TakeBackForm(PlaceForm):
    """The place of words that somebody said are not in the record."""

    start = forms.IntegerField(min_value=0)
    end = forms.IntegerField(min_value=1)


class ResolveForm(AnswerForm):
    """A note that says what came of a flag."""

    complaint = "A note has at most 2,000 characters."
    note = forms.CharField(required=False, max_length=2_000)


class CommentForm(AnswerForm):
    """A comment."""

    complaint = "A comment has at most 5,000 characters."
    text = forms.CharField(required=False, max_length=5_000)


class SearchForm(forms.Form):
    """Words to search for. They may be protected text, so they never appear in an address."""

    words = forms.CharField(required=False, max_length=300)


class ViewForm(forms.Form):
    """A name for a view of the queue, and whether everybody in the organisation has it."""

    name = forms.CharField(max_length=60)
    shared = forms.BooleanField(required=False)


class FilterForm(forms.Form):
    """The filters of a list in an address. Values that are not valid are ignored."""

    since = DayField(required=False)
    until = DayField(required=False)
    flagged = forms.BooleanField(required=False)
    unsupported = forms.BooleanField(required=False)

    def value(self, name: str) -> Any:
        """Return a cleaned value, or None if it was not valid."""
        self.is_valid()
        return self.cleaned_data.get(name)


def complete(form: forms.Form) -> dict[str, Any]:
    """Return the values of a form. Raises ``Invalid`` with what is wrong with it."""
    if not form.is_valid():
        raise Invalid(f"This form is incomplete. {errors_in_words(form)}")
    return form.cleaned_data


def errors_in_words(form: forms.Form) -> str:
    """Return the errors of a form, each after the name of its field."""
    return " ".join(f"{name.capitalize()}: {' '.join(map(str, errors))}" for name, errors in form.errors.items())
