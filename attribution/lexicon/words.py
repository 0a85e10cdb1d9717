"""Closed classes of English words that the rules need. What is open to choice is in the profile instead."""

from __future__ import annotations

from attribution.text import words

NEGATIONS = words("""
    not no never without cannot non nor neither none unable unavailable lack lacks dont doesnt isnt arent cant wont
""")
"""Words that deny their clause."""

CONTRACTED_BEFORE_NOT = words("don doesn isn aren won can couldn wasn weren hasn haven didn shouldn wouldn ain")
"""The part that folding leaves of "don't" before its "t"."""

NEGATING_PREFIXES = ("un", "non")

STOPPING = words("stop cease refuse decline close quit halt pause suspend")
"""Verbs that end what follows them. Denied, they state nothing."""

REPLACED = words("rather longer instead")
"""Words by which a value is named only to be set aside."""

CONDITIONS = words("if whether unless")
"""A sentence with one of these states nothing."""

DIVIDERS = words("but and though although")
"""Words behind which a negation no longer reaches."""

CONNECTORS = words("""
    is are was were be of at a an the your her his their its about around only just now currently exactly level score value number
    rating as to on in for reads says stands comes out set
""")
"""Words that may stand between the name of a field and its value."""

NOT_COUNTED = words("""
    a an and or but is was are were be been to at on in of for from by with the this that it its as if so than then per out not you
    your we our they their he she i which who when while because however please also too has have had will would can could
    each every now last today again overall here there until since before after during about only altogether
""")
"""Words that a number before them does not count: behind anything else it may be that thing's number."""

TITLES = ("dr", "doctor", "dra", "doctora", "mr", "mrs", "ms", "miss", "prof", "professor")

CREDENTIALS = words("""
    phd psyd md do dds dmd rn np pa lcsw licsw lmft mft lpc lmhc lpcc lcpc ma ms msw med mph edd jr sr ii iii
""")
"""Words that follow a name without being part of it."""

WEAK_TOPICS = words("""
    accepting service services option options facility facilities procedure procedures treatment client clients patient patients new home
    can work works unit onsite site friendly access hours caregiver provider therapist clinician doctor staff member
    present detected observed evident identified noted release version edition
""")
"""Words of a yes-or-no field's name that do not tell what it is about."""

YES = words("yes y true t")
NO = words("no n false f")
"""Yes and no as systems store them."""
VALUES_THAT_SAY_YES = YES | words("present positive pos endorses endorsed reports reported admits detected observed")
VALUES_THAT_SAY_NO = (
    NO
    | words("none absent negative neg denies denied nil never")
    | {
        "not present",
        "not detected",
        "not observed",
        "none reported",
        "none noted",
        "none known",
    }
)
"""Texts of a record that say yes or no of what their field's name is about: ``chest_pain: denies``."""

NAMES_THAT_DENY = words("no non not without")
"""Words by which a field's name says no itself: ``no_annual_fee``."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_MONTHS = ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug")
_LATE_MONTHS = ("september sept sep", "october oct", "november nov", "december dec")
MONTHS = {word: number for number, said in enumerate(_MONTHS + _LATE_MONTHS, start=1) for word in said.split()}

CURRENCY_WORDS = {
    **dict.fromkeys(("dollar", "dollars", "usd", "buck", "bucks"), "$"),
    **dict.fromkeys(("euro", "euros", "eur"), "€"),
    **dict.fromkeys(("pound", "pounds", "gbp"), "£"),
}
"""Words that stand for a currency sign."""

AMOUNT_LETTERS = {"k": 3, "m": 6, "mn": 6, "bn": 9}
AMOUNT_WORDS = {"thousand": 3, "million": 6, "billion": 9}
"""Words that multiply the amount before them, by how many digits: $1.5k, $2 million."""

_TO_NINETEEN = """
    zero one two three four five six seven eight nine ten
    eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
NUMBER_WORDS = {word: number for number, word in enumerate(_TO_NINETEEN.split())} | TENS
UNITS = frozenset(word for word, number in NUMBER_WORDS.items() if 1 <= number <= 9)
"""Words that may follow a ten: twenty-one."""

SCALES = words("hundred thousand million billion dozen")
"""Words that make another number of the one before them."""

_TO_TWENTIETH = """
    first second third fourth fifth sixth seventh eighth ninth tenth
    eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
"""
ORDINAL_WORDS = {word: number for number, word in enumerate(_TO_TWENTIETH.split(), start=1)} | {"thirtieth": 30}

DAY_PARTS = {"morning": (0, 720), "afternoon": (720, 1080), "evening": (1020, 1440)}
"""The parts of a day, from one minute of it up to another."""

BEFORE_A_TIME = words("at by until till from to around about before after between is starts start begins ends closes opens")
"""Words that may stand before an hour that nothing but a part of the day tells to be one."""

PARTICLES = words("in out off up")
"""Words that make another verb of the one before them: check in, check out."""

UNITS_OF_MEASURE = words("""
    mile miles mi km kilometer kilometers kilometre kilometres meter meters metre metres foot feet ft inch inches yard yards
    second seconds minute minutes min mins hour hours hr hrs day days night nights week weeks month months year years yr yrs
    kg kilo kilos gram grams mg lb lbs pound pounds ounce ounces oz ton tons ml liter liters litre litres gallon gallons
    degree degrees mph kb mb gb tb acre acres percent point points
""")
"""Words that measure: behind a number they leave open what is measured."""

PERSONS = words("you us")
"""Whom "two of" may count."""

MEASURES: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("minute", "minutes", "min", "mins"), ("time", 1)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), ("time", 60)),
    **dict.fromkeys(("day", "days"), ("time", 1_440)),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), ("time", 10_080)),
    **dict.fromkeys(("fortnight", "fortnights"), ("time", 20_160)),
    **dict.fromkeys(("month", "months", "mo", "mos"), ("months", 1)),
    **dict.fromkeys(("year", "years", "yr", "yrs"), ("months", 12)),
    **dict.fromkeys(("mile", "miles", "mi"), ("miles", 1)),
    **dict.fromkeys(("km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"), ("millimeters", 1_000_000)),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), ("millimeters", 1_000)),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), ("millimeters", 10)),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), ("millimeters", 1)),
    **dict.fromkeys(("foot", "feet", "ft"), ("feet", 1)),
    **dict.fromkeys(("pound", "pounds", "lb", "lbs"), ("pounds", 1)),
    **dict.fromkeys(("kg", "kilo", "kilos", "kilogram", "kilograms"), ("grams", 1_000)),
    **dict.fromkeys(("g", "gm", "gms", "gram", "grams", "gramme", "grammes"), ("grams", 1)),
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("milligrams", 1)),
    **dict.fromkeys(("oz", "ounce", "ounces"), ("ounces", 1)),
    **dict.fromkeys(("l", "liter", "liters", "litre", "litres"), ("milliliters", 1_000)),
    **dict.fromkeys(("ml", "mls", "cc", "ccs", "milliliter", "milliliters", "millilitre", "millilitres"), ("milliliters", 1)),
    **dict.fromkeys(("tablet", "tablets", "tab", "tabs", "pill", "pills"), ("tablets", 1)),
    **dict.fromkeys(("capsule", "capsules", "cap", "caps"), ("capsules", 1)),
    **dict.fromkeys(("teaspoon", "teaspoons", "tsp", "teaspoonful"), ("teaspoons", 1)),
    **dict.fromkeys(("tablespoon", "tablespoons", "tbsp", "tablespoonful"), ("tablespoons", 1)),
    **dict.fromkeys(("bpm", "beats"), ("beats", 1)),
    **dict.fromkeys(("calorie", "calories", "kcal", "cal", "cals"), ("calories", 1)),
    **dict.fromkeys(("gb", "gigabyte", "gigabytes", "gigs"), ("gigabytes", 1)),
}
"""Units: of what, and how many of the smallest one. Nothing is converted between systems."""

FREQUENCIES = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year", "fortnightly": "fortnight"}
"""Words that say how often, by the unit of time that passes between."""

TIMES = {"once": 1, "twice": 2, "thrice": 3}

COUNTING = words("number count total amount num")
"""Words of a field's name by which it says how many, and not which one."""

_OF_STREETS = """
    street:st st:st avenue:ave ave:ave av:ave boulevard:blvd blvd:blvd road:rd rd:rd drive:dr dr:dr lane:ln ln:ln court:ct ct:ct
    place:pl pl:pl square:sq sq:sq terrace:ter ter:ter parkway:pkwy pkwy:pkwy highway:hwy hwy:hwy circle:cir cir:cir plaza:plz plz:plz
    way:way wy:way
"""
_OF_ADDRESSES = """
    north:n n:n south:s s:s east:e e:e west:w w:w northeast:ne ne:ne northwest:nw nw:nw southeast:se se:se southwest:sw sw:sw mount:mt
    mt:mt fort:ft ft:ft floor:fl fl:fl building:bldg bldg:bldg
"""
STREET_TYPES = dict(each.split(":") for each in _OF_STREETS.split())
ADDRESS_WORDS = STREET_TYPES | dict(each.split(":") for each in _OF_ADDRESSES.split())
"""Words of addresses and their short forms, by the form in which they are compared."""

UNIT_WORDS = words("apartment apt suite ste unit room rm no number")
"""Words that may stand before the number of a part of a house, where "#" may stand as well."""

ROLES = words("""
    client patient child member traveler traveller guest tenant customer doctor therapist clinician physician dentist stylist pediatrician
    psychiatrist psychologist prescriber surgeon nurse counselor caregiver manager coordinator contact guardian landlord foreman instructor
    recipient daughter son mother father parent spouse partner sister brother friend agent coach teacher tutor supervisor
    salesperson applicant candidate employee driver assistant aide student resident
""")
"""Words of a field's name, or of its section's, by which its value is the name of a person."""

NO_GIVEN_NAMES = words("""
    will mark grace hope faith joy rose may april june august summer autumn dawn bill frank grant jack miles pat rob sue ray rich chase art
    drew angel destiny chance christian dean earl duke king major guy gene sage sky star jordan chelsea
    austin dallas houston madison paris sydney victoria charlotte carolina virginia georgia florence
""")
"""Given names that are words or places as well: alone they tell of nobody."""

LEGAL_FORMS = words("inc llc ltd pllc corp corporation co company pc plc lp llp gmbh limited incorporated")
"""Words that close the name of an organisation without being part of what it is called."""

KINDS_OF_PLACE = words("""
    clinic center hospital services service group associates practice therapy counseling institute wellness health partners
    salon spa hotel inn restaurant studio studios office offices clinics centers apartments homes
""")
"""Words that close the name of a place by saying its kind."""

BEFORE_A_DAY = words("on by until till from since before after to through for between and is next of")
"""Words that may stand before a month and its day."""

BEFORE_ANY_DAY = ("every", "each", "any", "most")
"""Words before a weekday that make it that of any week."""

BEHIND_ANY_DAY = ("mornings", "afternoons", "evenings", "nights")
"""Words behind a weekday that make it that of any week."""

NOT_OF_A_RECORD = words("you else me us here help")
"""Behind these, "today" is when people talk, and not a day of what they talk about."""

FUNCTION_WORDS = words("""
    a an the and or but nor of to in on at by for from with without as is are was were be been being am it its this that these those
    there here he she they him his her hers them their theirs we us our ours you your yours i me my mine who whom whose which what when
    where why how if then than so such not no do does did done doing have has had having will would can could may might shall should
    must also both each other others another some any all most more many much few own same too very just only into over under about
    after before during between through against out up down off again further once while because until upon within across s t re ve ll
    d m one two however even like well still although though since whether per via etc
""")
"""Words that are in any text: that two texts share them says nothing."""

SEARCHED = words("""
    therapists providers clinicians doctors counselors psychiatrists psychologists specialists dentists caregivers aides clinics practices
    programs facilities agencies communities pharmacies hospitals restaurants hotels guesthouses places colleges museums attractions
    listings results matches options openings appointments slots plans trains flights apartments homes
    cinemas theatres theaters churches parks pubs bars clubs nightclubs cafes pools halls boats shops eateries venues
""")
"""Things that an answer looks for: that there is none of them denies nothing of what was asked for."""
