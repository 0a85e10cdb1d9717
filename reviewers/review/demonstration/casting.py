"""Who a generated conversation is about: a client, the provider suggested, and what the model is shown of both."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from reviewers.review.demonstration.complaints import COMPLAINTS, Complaint
from reviewers.review.demonstration.particulars import (
    CITIES,
    DAYS,
    FIRST_NAMES,
    GENOMES,
    HISTORIES,
    LANGUAGES,
    LAST_NAMES,
    LIVES,
    PLANS,
    REASONS,
    RISKS,
    ROLES,
    SEVERITIES,
    STATES,
    STREETS,
    WEIGHED,
)
from reviewers.review.demonstration.spoken import Context, spoken


@dataclass(frozen=True, slots=True)
class Case:
    """A client and the provider suggested: the context that the model is shown, and its values as an answer would say them."""

    context: Context
    spoken: dict[str, str]


def cast(rng: random.Random, begun_on: date) -> Case:
    """A case whose dates lie shortly after ``begun_on``."""
    complaint = rng.choice(COMPLAINTS)
    opening = begun_on + timedelta(days=rng.randrange(2, 21))
    context = {
        "client_signal": _client_signal(rng, complaint),
        "provider_genome": _provider_genome(rng, complaint, opening),
        "patient_context": _patient_context(rng, complaint),
        "safety": _safety(rng),
        "therapeutic_fit": _therapeutic_fit(rng, complaint),
    }
    return Case(context, spoken(context, opening))


def _client_signal(rng: random.Random, complaint: Complaint) -> dict[str, Any]:
    return {
        "chief_complaint": complaint.name,
        "signal_summary": " ".join((complaint.summary, *rng.sample(HISTORIES, 2))),
        "emotional_state": complaint.state,
        "severity_level": rng.choice(SEVERITIES),
        "phq9_score": rng.randrange(10, 24),
        "gad7_score": rng.randrange(10, 20),
        "confidence": rng.randrange(600, 990) / 1000,
        "symptoms": list(complaint.symptoms),
        "triggers": list(complaint.triggers),
        "goals": list(complaint.goals),
        "duration": f"{rng.randrange(3, 30)} weeks",
        "sleep_hours": rng.randrange(35, 70) / 10,
    }


def _provider_genome(rng: random.Random, complaint: Complaint, opening: date) -> dict[str, Any]:
    role, credential = rng.choice(ROLES)
    fee = rng.randrange(80, 200, 5)
    return {
        "provider_name": f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}, {credential}",
        "pronouns": rng.choice(("she/her", "he/him", "they/them")),
        "required_role": role,
        "license_state": rng.choice(STATES),
        "license_number": f"{credential.upper()}-{rng.randrange(10_000, 99_999)}",
        "specialties": [complaint.specialty, rng.choice(COMPLAINTS).specialty, "adjustment to change"],
        "modalities": [complaint.modality, "psychoeducation", "structured problem solving"],
        "languages": ["English", *rng.sample(LANGUAGES, 2)],
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
        "insurance_accepted": rng.sample(PLANS, 3),
        "office": {
            "street": f"{rng.randrange(2, 999)} {rng.choice(STREETS)}",
            "city": rng.choice(CITIES),
            "zip": f"{rng.randrange(10_000, 99_999)}",
        },
        "genome_summary": " ".join(rng.sample(GENOMES, 5)),
    }


def _patient_context(rng: random.Random, complaint: Complaint) -> dict[str, Any]:
    lowest = rng.randrange(5, 60, 5)
    return {
        "context_summary": " ".join(rng.sample(LIVES, 4)),
        "budget_range": f"${lowest}-${lowest + rng.randrange(50, 150, 5)}",
        "insurance": {
            "plan": rng.choice(PLANS),
            "member_id": f"{rng.randrange(100, 999)}-{rng.randrange(1000, 9999)}",
            "copay": f"${rng.randrange(11, 70)}",
            "deductible_met": rng.random() < 0.5,
        },
        "care_path_preference": rng.choice(("therapy_only", "medication_management", "combined_care")),
        "provider_gender_preference": rng.choice(("female", "male", "no_preference")),
        "modality_preference": rng.choice(("video", "in_person", "phone")),
        "availability": {"days": rng.sample(DAYS, 2), "earliest": f"{rng.randrange(7, 19):02d}:30"},
        "city": rng.choice(CITIES),
        "zip": f"{rng.randrange(10_000, 99_999)}",
        "suggested_questions": [
            complaint.question,
            "Has anything helped before, even a little?",
            "Who would notice first if you felt better?",
            "Is there a time of day at which things are easier?",
            "What should the first visit not be like?",
        ],
    }


def _safety(rng: random.Random) -> dict[str, Any]:
    return {
        "risk_level": rng.choice(RISKS),
        "intervention_mode": rng.choice(("psychoeducation", "brief_support", "referral")),
        "recommended_action": rng.choice(("continue_matching", "book_intro_call")),
        "confidence": rng.randrange(600, 990) / 1000,
        "crisis_plan_on_file": rng.random() < 0.4,
    }


def _therapeutic_fit(rng: random.Random, complaint: Complaint) -> dict[str, Any]:
    fit = rng.randrange(62, 97)
    return {
        "fit_score": fit / 100,
        "overall_score": (10 * fit - rng.randrange(5, 40)) / 1000,
        "rank": rng.randrange(1, 4),
        "fit_reasons": [complaint.specialty, *rng.sample(REASONS, 2)],
        "assessment_summary": f"Good overlap on {complaint.specialty} and on the schedule; {WEIGHED}",
    }
