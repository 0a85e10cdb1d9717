"""The form under which somebody proposes a redaction."""

from __future__ import annotations

from django import forms

from reviewers.ledger.redaction_models import Basis


class RedactionForm(forms.Form):
    """Which parts, on which basis, and why. Whether the parts are there is asked when the proposal is written."""

    parts = forms.MultipleChoiceField(required=False)
    basis = forms.ChoiceField(choices=Basis.choices, label="On which basis")
    reason = forms.CharField(max_length=1_000, label="Why", widget=forms.Textarea(attrs={"rows": 3}))


class FindForm(forms.Form):
    """The identifier of a snapshot, as it stands in the ledger and in what a program was answered."""

    item = forms.UUIDField(required=False)
