"""What brings the clients of generated conversations."""

from __future__ import annotations

from typing import NamedTuple


class Complaint(NamedTuple):
    """What brings a client, as a record puts it, and what goes with it."""

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
