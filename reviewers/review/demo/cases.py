"""Generated cases: a client with a complaint, the provider suggested, and the context that the model is shown of both."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple


class Complaint(NamedTuple):
    """A reason for which a client comes, as a record says it, and what goes with it."""

    name: str
    summary: str
    state: str
    symptoms: tuple[str, ...]
    triggers: tuple[str, ...]
    goals: tuple[str, ...]
    specialty: str
    modality: str
    question: str


COMPLAINTS = (
    Complaint(
        name="waking before dawn",
        summary="Wakes hours before the alarm, goes over old quarrels and cannot rest; coffee all day, early to bed, no change.",
        state="worn out",
        symptoms=("early waking", "racing thoughts", "irritability"),
        triggers=("night shifts", "silence"),
        goals=("sleep until six", "fewer coffees"),
        specialty="insomnia",
        modality="sleep restriction",
        question="How many nights a week do you wake early?",
    ),
    Complaint(
        name="panic in crowds",
        summary="Leaves shops with the basket half full; heart pounding, hands numb, fear of fainting in front of others.",
        state="frightened",
        symptoms=("pounding heart", "numb hands", "dizziness"),
        triggers=("crowds", "elevators"),
        goals=("ride the train again", "shop alone"),
        specialty="panic disorder",
        modality="exposure therapy",
        question="What do you fear would happen in the crowd?",
    ),
    Complaint(
        name="low since the move",
        summary="Moved for a partner's job, knows nobody, cancels plans on the day; cooking and walking have stopped altogether.",
        state="flat",
        symptoms=("low energy", "tearfulness", "poor appetite"),
        triggers=("weekends", "photographs"),
        goals=("meet one new person", "cook twice weekly"),
        specialty="depression",
        modality="behavioral activation",
        question="What did you enjoy before you moved?",
    ),
    Complaint(
        name="arguments at home",
        summary="Shouts at the children over small things and regrets it for days; sleeps on the sofa; the partner wants a break.",
        state="ashamed",
        symptoms=("outbursts", "tension headaches", "guilt"),
        triggers=("homework time", "noise"),
        goals=("an evening without shouting", "an apology that lasts"),
        specialty="anger",
        modality="emotion regulation training",
        question="What happens just before you shout?",
    ),
    Complaint(
        name="grief after a loss",
        summary="Lost a brother in the autumn; keeps his voice messages and deletes none; works late to stay out of the flat.",
        state="hollow",
        symptoms=("loneliness", "poor concentration", "chest tightness"),
        triggers=("anniversaries", "songs"),
        goals=("sort his letters", "visit the grave"),
        specialty="bereavement",
        modality="meaning-centered therapy",
        question="Who else misses him as you do?",
    ),
    Complaint(
        name="worry about everything",
        summary="Reads the news at night, asks for reassurance at work, leaves letters unopened until they fill a chair.",
        state="on edge",
        symptoms=("muscle tension", "restlessness", "stomach cramps"),
        triggers=("unopened mail", "deadlines"),
        goals=("open the letters", "one free evening"),
        specialty="generalized anxiety",
        modality="worry postponement",
        question="Which worry comes back most often?",
    ),
    Complaint(
        name="drinking on weeknights",
        summary="Three glasses became a bottle during the renovation; hides the empties, promised to stop twice already.",
        state="embarrassed",
        symptoms=("cravings", "shaky mornings", "broken sleep"),
        triggers=("payday", "arguments"),
        goals=("thirty sober days", "morning runs"),
        specialty="alcohol use",
        modality="motivational interviewing",
        question="On which evenings is it easiest not to drink?",
    ),
    Complaint(
        name="pain that stays",
        summary="Back pain since a fall at work; rests for days after each busy one, has dropped the choir and most visits.",
        state="discouraged",
        symptoms=("burning pain", "fatigue", "isolation"),
        triggers=("long drives", "stairs"),
        goals=("sing again", "sit through a film"),
        specialty="chronic pain",
        modality="activity pacing",
        question="On which days is the pain least?",
    ),
)


# Parts of cases. None of the names belongs to anybody.


HISTORIES = (
    "Asked for help once before and was put on a list; nobody called back, and it took two years to write again.",
    "Has told one friend and nobody in the family; fears that it will be held against them at work.",
    "Found the form through a poster at the library; answers quickly, with humor, and apologizes for long messages.",
    "Filled in the questionnaires twice, with a fortnight between; the second answers were a little worse than the first.",
)
FIRST_NAMES = (
    *("Adaeze", "Bertil", "Cosima", "Dagny", "Emrys", "Fenna", "Gideon", "Hanneke", "Isolde", "Jorah", "Kestrel", "Liesel"),
    *("Marek", "Nerys", "Odile", "Piers", "Quilla", "Rhodri", "Sanna", "Teodor", "Ursa", "Vesna", "Wilmar", "Yevka"),
)
LAST_NAMES = (
    *("Abelard", "Brackenbury", "Castellan", "Dunmore", "Elphick", "Fairweather", "Gantry", "Hollis", "Ilvermark", "Jessop"),
    *("Kirkbride", "Lorimer", "Marchbanks", "Nettleship", "Ottoway", "Pargeter", "Quennell", "Ravensworth", "Silverlock"),
    *("Thackeray", "Umberleigh", "Vantongeren", "Whitlock", "Yarborough"),
)
ROLES = (("psychologist", "PsyD"), ("therapist", "LCSW"), ("psychiatrist", "MD"), ("therapist", "LMFT"), ("psychologist", "PhD"))
STATES = ("Oregon", "Maine", "Ohio", "Vermont", "Kansas", "Utah", "Georgia", "Idaho")
CITIES = ("Ambleford", "Brindle Lake", "Cawdrey", "Dovecote Hill", "Eastmarch", "Fennwick", "Greywater", "Hartsease")
STREETS = ("Alder Row", "Beacon Lane", "Copper Street", "Drover's Way", "Elm Passage", "Foundling Court", "Garnet Road")
LANGUAGES = ("Spanish", "Polish", "Tagalog", "Haitian Creole", "Vietnamese", "Portuguese", "Farsi", "Korean")
PLANS = ("Alderbank Mutual", "Dunlin Choice", "Cordwell Union", "Tarnside Health", "Evenfield Select")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
SEVERITIES = ("mild", "moderate", "severe")
RISKS = ("low", "moderate", "elevated")
REASONS = ("short wait", "same language", "evening hours", "close by", "in network", "long experience")
WEIGHED = (
    "distance and cost were weighed and found acceptable. The two runners-up have shorter waits and less practice with this kind "
    "of trouble; both remain on the list. A coordinator looks at the match again after the third visit or on request."
)
GENOMES = (
    "Works in short courses with written homework between visits; measures progress with the client at every third meeting.",
    "Calm and practical; explains each step before it is taken, and keeps the family doctor informed where the client agrees.",
    "Long experience with people who tried therapy before and left; begins with what did not help then, and plans from there.",
    "Direct and warm; meets for two longer visits first, then weekly, and answers written questions within one working day.",
    "Trained in a hospital team before opening a practice; comfortable with shared records and with several helpers at once.",
    "Likes to meet a partner or friend at the second visit; uses drawings and timelines rather than questionnaires.",
)
LIVES = (
    "Lives alone, works early shifts and has no car; prefers plain advice over long talks.",
    "Shares a flat with two others, studies part time, pays rent late in most months.",
    "Married with two children, runs a small shop, free only after the evening meal.",
    "Recently retired, helps a neighbor with errands, reads everything before deciding.",
    "Looks after a parent at home; a sister covers two mornings a week and most holidays.",
    "Started a new job in the winter and does not want the employer to know about visits.",
)


# Values as an answer says them.


Context = dict[str, dict[str, Any]]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


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
        "other_risk": RISKS[RISKS.index(risk) - 1],
        "fit": f"{fit}%",
        "other_fit": f"{fit - 21}%",
    }


def _day(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.day}"


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
    complaint = rng.choice(COMPLAINTS)
    opening = begun_on + timedelta(days=rng.randrange(2, 21))
    context = {
        "client_signal": _client_signal(rng, complaint),
        "provider_genome": _provider_genome(rng, complaint, opening),
        "patient_context": _patient_context(rng, complaint),
        "safety": _safety(rng),
        "therapeutic_fit": _therapeutic_fit(rng, complaint),
    }
    return GeneratedCase(context, spoken(context, opening))


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
