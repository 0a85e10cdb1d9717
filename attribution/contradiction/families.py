"""Words of which a field holds one: stating another one of the same family is stating another value.

Each line is a family, its members between bars, forms of the same member between slashes. Behind a semicolon stand words of which one
has to be near, or to name the field, where the members are said of other things as well; a family without them speaks for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from attribution.text import stem, words_of

_FAMILIES = """
low | medium/moderate/elevated/intermediate | high | imminent ; *
minimal | mild | moderate | severe ; *
cheap/inexpensive/affordable/low-cost/budget-friendly | moderate/moderately/mid-range/intermediate | expensive/pricey/upscale/costly ; price priced pricing cost restaurant place range
economy/coach | premium economy | business/business class | first class ; class ticket seat flight cabin fly flying fare airline
compact | subcompact | standard/mid-size/midsize | full-size/fullsize | luxury | minivan ; car vehicle rental sedan
automatic | manual ; transmission car gearbox
single | double | twin | suite ; room bed
male/man | female/woman | nonbinary ; provider therapist doctor clinician counselor gender
dentist | orthodontist | periodontist | endodontist | oral surgeon
dermatologist | cardiologist | gynecologist/obgyn/ob-gyn | ophthalmologist | optometrist | pediatrician | neurologist | urologist | oncologist | endocrinologist | rheumatologist | gastroenterologist | pulmonologist | nephrologist | general practitioner/family doctor/gp | internist | podiatrist | chiropractor | anesthesiologist | radiologist | orthopedist | allergist/immunologist | hematologist | surgeon | ent | otolaryngologist | physiotherapist/physical therapist
psychiatrist | psychologist | counselor/counsellor | social worker | psychotherapist | care coordinator
in-person/in person/face-to-face | video/telehealth/online/virtual/remotely | phone/telephone ; session sessions visit visits appointment appointments therapy care modality
pending | confirmed | cancelled/canceled/called off | completed | declined/rejected | approved | expired ; status order booking reservation request claim payment referral application
open | closed ; status *
active | inactive | suspended ; status account membership policy *
paid | unpaid | overdue ; invoice bill status payment *
private | public | shared ; transfer ride room account
one-way/one way/oneway | round-trip/round trip/roundtrip | multi-city ; flight ticket trip fare journey
direct/nonstop/non-stop | connecting ; flight train route
morning/mornings | afternoon/afternoons | evening/evenings ; availability available opening slot appointment session *
married | divorced | widowed ; *
part-time/part time | full-time/full time ; work job employment position *
mexican | italian | chinese | japanese | indian | thai | french | greek | korean | vietnamese | american | mediterranean | ethiopian | spanish | turkish | lebanese | brazilian | cuban | peruvian | moroccan | german ; restaurant food cuisine place eatery dish dishes dining
comedy/comedies | drama | horror | thriller | romance/romantic | action | animation/animated | documentary | sci-fi/science fiction | fantasy | adventure | mystery | musical | western | biography/biographical | crime | war ; movie film genre show play
pop | rock | jazz | country | hip-hop/hip hop | electronic/electronica | reggae | blues | metal | folk | classical | soul ; song music genre band album concert artist
savings | checking/current ; account
credit | debit ; card payment
water | gas | electricity/electric ; bill
sunny | cloudy/overcast | rainy/raining | snowy/snowing | foggy ; weather forecast
small | medium | large | extra large ; size
weekly | biweekly/fortnightly | monthly | daily | yearly/annually | quarterly ; session sessions meet meeting visits frequency paid rent dose payment *
cbt | dbt | emdr | act | psychodynamic | ipt | mindfulness-based ; approach modality therapy therapist uses trained
aetna | cigna | medicare | medicaid | anthem | humana | kaiser | unitedhealthcare/united healthcare | tricare | blue cross/bluecross
"""

NAMED_ONLY = "*"

Words = tuple[str, ...]


class Family(NamedTuple):
    """The forms of each member as stems of words, and the stems of words that have to be near. ``is_named``: the field itself has to be."""

    members: tuple[tuple[str, tuple[Words, ...]], ...]
    near: frozenset[str]
    is_named: bool


def _read() -> Iterator[Family]:
    for line in _FAMILIES.strip().splitlines():
        written, _, near = line.partition(";")
        members = [[form.strip() for form in member.split("/")] for member in written.split("|")]
        heads = near.split()
        yield Family(
            tuple([(forms[0], tuple(map(stems_of, forms))) for forms in members]),
            frozenset([stem(each) for each in heads if each != NAMED_ONLY]),
            NAMED_ONLY in heads,
        )


def stems_of(text: str) -> Words:
    """The stems of the words of a value."""
    return tuple(map(stem, words_of(text)))


def _by_form(families: tuple[Family, ...]) -> Mapping[Words, tuple[Family, ...]]:
    table: dict[Words, tuple[Family, ...]] = {}
    for family in families:
        for _, forms in family.members:
            for form in forms:
                table[form] = (*table.get(form, ()), family)
    return table


FAMILIES_OF = _by_form(tuple(_read()))
"""The families that a form belongs to."""

MEMBER_STEMS = frozenset([form[0] for form in FAMILIES_OF])
"""The first stems of all forms: an answer without any states no member."""
