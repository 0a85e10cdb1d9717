"""Generated cases: a client with a complaint, the provider suggested, and the context that the model is shown of both."""

from __future__ import annotations

import json
import random
from calendar import month_name
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

WORDS: Mapping[str, Any] = json.loads(Path(__file__).with_name("cases.json").read_bytes())
"""Invented complaints with what goes with each, and parts of cases. None of the names belongs to anybody."""

# Values as an answer says them.


Context = dict[str, dict[str, Any]]


def spoken(context: Context, opening: date) -> dict[str, str]:
    """Return the values of a case as an answer would say them. Names that begin with ``other`` have wrong values."""
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
        "other_risk": WORDS["risks"][WORDS["risks"].index(risk) - 1],
        "fit": f"{fit}%",
        "other_fit": f"{fit - 21}%",
    }


def _day(day: date) -> str:
    return f"{month_name[day.month]} {day.day}"


def _clock(time: str) -> str:
    hour, minute = int(time[:2]), time[3:]
    return f"{(hour - 1) % 12 + 1}{'' if minute == '00' else ':' + minute} {'am' if hour < 12 else 'pm'}"


# Cases.


@dataclass(frozen=True, slots=True)
class GeneratedCase:
    """A client and the provider suggested: the context that the model is shown, and its values as an answer would say them."""

    context: Context
    spoken: dict[str, str]


def generate_case(rng: random.Random, begun_on: date) -> GeneratedCase:
    """Return a case whose dates lie shortly after ``begun_on``."""
    complaint = rng.choice(WORDS["complaints"])
    opening = begun_on + timedelta(days=rng.randrange(2, 21))
    context = {
        "client_signal": _client_signal(rng, complaint),
        "provider_genome": _provider_genome(rng, complaint, opening),
        "patient_context": _patient_context(rng, complaint),
        "safety": _safety(rng),
        "therapeutic_fit": _therapeutic_fit(rng, complaint),
    }
    return GeneratedCase(context, spoken(context, opening))


def _client_signal(rng: random.Random, complaint: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "chief_complaint": complaint["name"],
        "signal_summary": " ".join((complaint["summary"], *rng.sample(WORDS["histories"], 2))),
        "emotional_state": complaint["state"],
        "severity_level": rng.choice(WORDS["severities"]),
        "phq9_score": rng.randrange(10, 24),
        "gad7_score": rng.randrange(10, 20),
        "confidence": rng.randrange(600, 990) / 1000,
        "symptoms": list(complaint["symptoms"]),
        "triggers": list(complaint["triggers"]),
        "goals": list(complaint["goals"]),
        "duration": f"{rng.randrange(3, 30)} weeks",
        "sleep_hours": rng.randrange(35, 70) / 10,
    }


def _provider_genome(rng: random.Random, complaint: Mapping[str, Any], opening: date) -> dict[str, Any]:
    role, credential = rng.choice(WORDS["roles"])
    fee = rng.randrange(80, 200, 5)
    return {
        "provider_name": f"{rng.choice(WORDS['first_names'])} {rng.choice(WORDS['last_names'])}, {credential}",
        "pronouns": rng.choice(("she/her", "he/him", "they/them")),
        "required_role": role,
        "license_state": rng.choice(WORDS["states"]),
        "license_number": f"{credential.upper()}-{rng.randrange(10_000, 99_999)}",
        "specialties": [complaint["specialty"], rng.choice(WORDS["complaints"])["specialty"], "adjustment to change"],
        "modalities": [complaint["modality"], "psychoeducation", "structured problem solving"],
        "languages": ["English", *rng.sample(WORDS["languages"], 2)],
        "years_experience": rng.randrange(4, 30),
        "complexity_level": rng.choice(("low", "moderate", "high")),
        "fee_range": f"${fee}-${fee + rng.randrange(10, 45, 5)}",
        "session_length": f"{rng.choice((30, 45, 50, 60, 75))} minutes",
        "accepting_new": rng.random() < 0.85,
        "offers_telehealth": rng.random() < 0.7,
        "wheelchair_accessible": rng.random() < 0.7,
        "next_opening": opening.isoformat(),
        "opening_time": f"{rng.randrange(8, 20):02d}:{rng.choice(('00', '15', '30', '45'))}",
        "phone_number": f"({rng.randrange(201, 989)}) 555-01{rng.randrange(100):02d}",
        "rating": rng.randrange(38, 50) / 10,
        "insurance_accepted": rng.sample(WORDS["plans"], 3),
        "office": {
            "street": f"{rng.randrange(2, 999)} {rng.choice(WORDS['streets'])}",
            "city": rng.choice(WORDS["cities"]),
            "zip": f"{rng.randrange(10_000, 99_999)}",
        },
        "genome_summary": " ".join(rng.sample(WORDS["genomes"], 5)),
    }


def _patient_context(rng: random.Random, complaint: Mapping[str, Any]) -> dict[str, Any]:
    lowest = rng.randrange(5, 60, 5)
    return {
        "context_summary": " ".join(rng.sample(WORDS["lives"], 4)),
        "budget_range": f"${lowest}-${lowest + rng.randrange(50, 150, 5)}",
        "insurance": {
            "plan": rng.choice(WORDS["plans"]),
            "member_id": f"{rng.randrange(100, 999)}-{rng.randrange(1000, 9999)}",
            "copay": f"${rng.randrange(11, 70)}",
            "deductible_met": rng.random() < 0.5,
        },
        "care_path_preference": rng.choice(("therapy_only", "medication_management", "combined_care")),
        "provider_gender_preference": rng.choice(("female", "male", "no_preference")),
        "modality_preference": rng.choice(("video", "in_person", "phone")),
        "availability": {"days": rng.sample(WORDS["days"], 2), "earliest": f"{rng.randrange(7, 19):02d}:30"},
        "city": rng.choice(WORDS["cities"]),
        "zip": f"{rng.randrange(10_000, 99_999)}",
        "suggested_questions": [
            complaint["question"],
            "Has anything helped before, even a little?",
            "Who would notice first if you felt better?",
            "Is there a time of day at which things are easier?",
            "What should the first visit not be like?",
        ],
    }


def _safety(rng: random.Random) -> dict[str, Any]:
    return {
        "risk_level": rng.choice(WORDS["risks"]),
        "intervention_mode": rng.choice(("psychoeducation", "brief_support", "referral")),
        "recommended_action": rng.choice(("continue_matching", "book_intro_call")),
        "confidence": rng.randrange(600, 990) / 1000,
        "crisis_plan_on_file": rng.random() < 0.4,
    }


def _therapeutic_fit(rng: random.Random, complaint: Mapping[str, Any]) -> dict[str, Any]:
    fit = rng.randrange(62, 97)
    return {
        "fit_score": fit / 100,
        "overall_score": (10 * fit - rng.randrange(5, 40)) / 1000,
        "rank": rng.randrange(1, 4),
        "fit_reasons": [complaint["specialty"], *rng.sample(WORDS["reasons"], 2)],
        "assessment_summary": f"Good overlap on {complaint['specialty']} and on the schedule; {WORDS['weighed']}",
    }
