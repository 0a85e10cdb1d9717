"""Names, places and sentences that generated cases are put together from. None of them belongs to anybody."""

from __future__ import annotations

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
