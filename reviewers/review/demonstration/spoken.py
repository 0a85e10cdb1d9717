"""The values of a generated case as an answer would say them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from reviewers.review.demonstration.particulars import RISKS

Context = dict[str, dict[str, Any]]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def spoken(context: Context, opening: date) -> dict[str, str]:
    """By what an answer calls them; those that begin with *other* are wrong."""
    return _client(context) | _provider(context, opening) | _judgement(context)


def _client(context: Context) -> dict[str, str]:
    signal, client = context["client_signal"], context["patient_context"]
    return {
        "complaint": signal["chief_complaint"],
        "state": signal["emotional_state"],
        "symptom": signal["symptoms"][0],
        "other_symptom": signal["symptoms"][1],
        "goal": signal["goals"][0],
        "duration": signal["duration"],
        "phq9": str(signal["phq9_score"]),
        "plan": client["insurance"]["plan"],
        "copay": client["insurance"]["copay"],
        "weekday": client["availability"]["days"][0],
        "question": client["suggested_questions"][0],
    }


def _provider(context: Context, opening: date) -> dict[str, str]:
    provider = context["provider_genome"]
    low, high = (int(end.lstrip("$")) for end in provider["fee_range"].split("-"))
    accepting, closed = "is accepting new clients", "is not accepting new clients"
    return {
        "name": provider["provider_name"].partition(",")[0],
        "role": provider["required_role"],
        "specialty": provider["specialties"][0],
        "modality": provider["modalities"][0],
        "language": provider["languages"][1],
        "years": str(provider["years_experience"]),
        "fee": provider["fee_range"].replace("-", " to "),
        "other_fee": f"${low + high}",
        "length": provider["session_length"],
        "accepting": accepting if provider["accepting_new"] else closed,
        "not_accepting": closed if provider["accepting_new"] else accepting,
        "telehealth": "offers telehealth" if provider["offers_telehealth"] else "does not offer telehealth",
        "wheelchair": "is wheelchair accessible" if provider["wheelchair_accessible"] else "is not wheelchair accessible",
        "opening": _day(opening),
        "other_opening": _day(opening + timedelta(days=8)),
        "time": _clock(provider["opening_time"]),
        "phone": provider["phone_number"],
        "street": provider["office"]["street"],
        "town": provider["office"]["city"],
    }


def _judgement(context: Context) -> dict[str, str]:
    risk, fit = context["safety"]["risk_level"], round(100 * context["therapeutic_fit"]["fit_score"])
    return {
        "risk": risk,
        "other_risk": RISKS[RISKS.index(risk) - 1],
        "fit": f"{fit}%",
        "other_fit": f"{fit - 21}%",
    }


def _day(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.day}"


def _clock(time: str) -> str:
    hour, minute = int(time[:2]), time[3:]
    return f"{(hour - 1) % 12 + 1}{'' if minute == '00' else ':' + minute} {'am' if hour < 12 else 'pm'}"
