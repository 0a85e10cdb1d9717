"""The form of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from reviewers.review import wording
from reviewers.review.models import MOST_REVIEWS, Draw, Plan, Rule, Stream
from reviewers.review.plans.sampling import Design, PlanTerms, Triggers
from reviewers.web.dates import DayField

_LARGEST = 100_000
_ONCE = {"overlap": 1, "rule": Rule.UNANIMOUS}
_MEANT: Mapping[str, dict[str, Any]] = {
    Stream.AUDIT.value: _ONCE | {"name": "Audit", "stream": Stream.AUDIT, "draw": Draw.NUMBER, "is_blind": True},
    Stream.BOOST.value: _ONCE | {"name": "To learn from", "stream": Stream.BOOST, "draw": Draw.STRATIFIED, "is_blind": False},
}


class PlanForm(forms.Form):
    """The terms of a plan. ``query`` is the list of the queue from which its candidates are taken."""

    query = forms.CharField(required=False, max_length=8_000, widget=forms.HiddenInput)
    name = forms.CharField(max_length=120)
    draw = forms.ChoiceField(choices=Draw.choices, initial=Draw.NUMBER)
    share = forms.FloatField(required=False, min_value=0.01, max_value=100)
    size = forms.IntegerField(required=False, min_value=1, max_value=_LARGEST)
    below = forms.FloatField(required=False, min_value=0.01, max_value=1)
    missing = forms.CharField(required=False, max_length=2_000)
    guardrails = forms.MultipleChoiceField(required=False, choices=list(wording.GUARDRAILS.items()))
    overlap = forms.IntegerField(min_value=1, max_value=MOST_REVIEWS, initial=2)
    is_blind = forms.BooleanField(required=False, initial=True)
    rule = forms.ChoiceField(choices=Rule.choices, initial=Rule.UNANIMOUS)
    stream = forms.ChoiceField(choices=Stream.choices, initial=Stream.NONE)
    control_rows = forms.FloatField(required=False, min_value=0, max_value=50)
    guide = forms.CharField(required=False, max_length=50_000, widget=forms.Textarea(attrs={"rows": 8}))
    due_on = DayField(required=False)

    def clean(self) -> dict[str, Any]:
        """Check the fields that depend on each other."""
        data = super().clean() or {}
        wants = {Draw.SHARE.value: "share", Draw.NUMBER.value: "size", Draw.STRATIFIED.value: "size"}.get(data.get("draw", ""))
        if wants and wants not in self.errors and not data.get(wants):
            self.add_error(wants, "Say how many.")
        if data.get("control_rows") and not data.get("is_blind"):
            self.add_error(
                "control_rows", "Attention-check rows need a blind plan: in an open one everybody sees that they were not found."
            )
        if data.get("stream") == Stream.AUDIT and not self._is_simple(data):
            self.add_error("stream", "An audit is blind and simply random: no strata, no triggers.")
        if data.get("draw") == Draw.TRIGGERED and not self._triggers(data).as_data():
            self.add_error("draw", "Without a trigger this plan would wait for nothing.")
        return data

    def terms(self, candidates: dict[str, Any]) -> PlanTerms:
        """Return the terms of the plan."""
        data = self.cleaned_data
        return PlanTerms(
            name=data["name"],
            candidates=candidates,
            design=_design(data),
            triggers=self._triggers(data),
            overlap=data["overlap"],
            is_blind=data["is_blind"],
            rule=Rule(data["rule"]),
            stream=Stream(data["stream"]),
            guide=data["guide"].replace("\r\n", "\n").strip(),
            control_share=(data["control_rows"] or 0) / 100,
            due_on=data["due_on"],
        )

    @staticmethod
    def of(plan: Plan) -> dict[str, Any]:
        """Return the initial values of the form for a plan."""
        triggers = Triggers.read(plan.triggers)
        return {
            "name": plan.name,
            "draw": plan.draw,
            "share": _percent(plan.share),
            "size": plan.size,
            "below": triggers.below,
            "missing": ", ".join(triggers.missing),
            "guardrails": list(triggers.guardrails),
            "overlap": plan.overlap,
            "is_blind": plan.is_blind,
            "rule": plan.rule,
            "stream": plan.stream,
            "control_rows": _percent(plan.control_share),
            "guide": plan.guide.text if plan.guide else "",
            "due_on": plan.due_on.isoformat() if plan.due_on else "",
        }

    @staticmethod
    def asked_for(data: QueryDict) -> dict[str, Any]:
        """Return the initial values that an address asks for: the stream and the number of answers."""
        meant = _MEANT.get(data.get("for", ""), {})
        size = data.get("size", "")
        return meant | ({"size": int(size)} if meant and size.isdecimal() and 0 < int(size[:9]) <= _LARGEST else {})

    def _is_simple(self, data: dict[str, Any]) -> bool:
        is_random = data.get("draw") in (Draw.ALL, Draw.SHARE, Draw.NUMBER)
        return bool(data.get("is_blind")) and is_random and not self._triggers(data).as_data()

    def _triggers(self, data: dict[str, Any]) -> Triggers:
        missing = tuple(name.strip() for name in (data.get("missing") or "").split(",") if name.strip())
        return Triggers(data.get("below"), missing, tuple(data.get("guardrails") or ()))


def _percent(share: float | None) -> float | None:
    """Return a share in percent, without rounding errors of the multiplication: 0.07 is 7."""
    return round(100 * share, 6) if share else None


def _design(data: dict[str, Any]) -> Design:
    """Return the design with the one figure that it needs."""
    draw = Draw(data["draw"])
    share = data["share"] / 100 if draw is Draw.SHARE else None
    return Design(draw, share, data["size"] if draw in (Draw.NUMBER, Draw.STRATIFIED) else None)
