"""Patterns of identifiers in free text, found by their shape or by the words before them: the kinds of HIPAA's Safe Harbor.

Each pattern replaces its group ``x``, or the whole match. Every repeat is bounded or is followed by a character that it cannot match, so
that a search takes time in proportion to the text. ``recall.json`` has the share of each kind that they find, measured on invented records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Replacement = tuple[int, int, str]
"""Start and end in code points, and the replacement."""

OLD = "90 or more"
OLDEST = 89

_A = re.IGNORECASE | re.ASCII
_YEAR = r"(?:19|20)\d\d"
_YEAR_IN = re.compile(rf"(?<!\d){_YEAR}(?!\d)")
_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽ]"
_NAME = rf"{_CAPITAL}[\w’'-]{{1,30}}"
_NAMES = rf"{_NAME}(?: (?:{_CAPITAL}\. |(?:van|von|de|der|la|del|di|da|el|al|bin) (?:der |la |den )?)?{_NAME}){{0,2}}"
_UNITS = (
    r"(?! ?(?:%|percent\b|mg\b|mcg\b|g\b|kg\b|lbs?\b|ml\b|iu\b|units?\b|steps\b|cm\b|mm\b|m\b|km\b|miles\b|dollars\b|usd\b|euros?\b|bpm\b|points?\b"
    r"|calories\b|kcal\b|days?\b|weeks?\b|months?\b|hours?\b|minutes?\b|times\b|members\b|clients\b|patients\b|people\b|of \d))"
)
"""A negative lookahead for what makes a quantity of the number before it."""


@dataclass(frozen=True, slots=True)
class IdentifierPattern:
    """A pattern and its replacement: a text, or a function that returns None to leave a match alone."""

    pattern: re.Pattern[str]
    instead: str | Callable[[re.Match[str]], str | None]

    def found(self, text: str) -> Iterator[Replacement]:
        """Yield a replacement for each match in a text."""
        group = "x" if "x" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            start, end = match.span(group)
            instead = self.instead if isinstance(self.instead, str) else self.instead(match)
            if instead is not None and end > start:
                yield start, end, instead


def find_shapes(text: str, year: int | None) -> Iterator[Replacement]:
    """Yield a replacement for everything that looks like an identifier.

    ``year`` is the year of the text: with it, a year of birth can tell an age over 89.
    """
    for shape in SHAPES:
        yield from shape.found(text)
    if year is not None:
        yield from _old_births(text, year)


def _old_births(text: str, year: int) -> Iterator[Replacement]:
    for match in _BIRTH.finditer(text):
        found = _YEAR_IN.search(match["x"])
        if found and year - int(found.group()) > OLDEST:
            start = match.start("x") + found.start()
            yield start, start + 4, OLD


def _year_of(match: re.Match[str]) -> str:
    found = _YEAR_IN.search(match.group("x") if "x" in match.re.groupindex else match.group())
    return found.group() if found else "[date]"


# Dates

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_ALWAYS_MONTH = r"(?:January|February|April|June|July|August|September|October|November|December)"
_ORDINAL = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth"
    r"|eighteenth|nineteenth|twentieth|twenty[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|thirty[ -]first)"
)
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{_ORDINAL})"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? (?:the )?)?"
_TIME = r"(?:[T ,]{1,2}\d\d?:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: ?[ap]m)?(?:Z|[+-]\d\d:?\d\d)?)?"
_SEASON = r"(?:spring|summer|autumn|fall|winter|(?:christ|x)mas(?: eve| day)?|thanksgiving|easter|halloween|new year[’']?s(?: eve| day)?)"
_HOLIDAY = r"(?:Christmas(?: Eve| Day)?|Thanksgiving|Easter(?: Sunday| Monday)?|Halloween|New Year[’']s(?: Eve| Day)?|Valentine[’']s Day)"
_WHEN = r"(?:in|since|last|next|this|early|late|mid|until|till|by|of|from|during|between|before|after|on)"
_DATES: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(?<![\d.]){_YEAR}([-/.])\d\d?\1\d\d?(?!\d){_TIME}", _A),
    re.compile(rf"(?<![\d./-])\d\d?([-/. ])\d\d?\1(?:{_YEAR}|\d\d)(?![\d/-]){_TIME}", _A),
    re.compile(rf"(?<![\d./-])(?:0?[1-9]|1[0-2])/{_YEAR}(?![\d/])", _A),
    re.compile(rf"(?<![\d./-]){_YEAR}-(?:0[1-9]|1[0-2])(?![\d-])", _A),
    re.compile(rf"(?<!\w){_WEEKDAY}{_MONTH}[ /-](?:the )?{_DAY}(?:[-–]\d{{1,2}}(?!\d))?(?:,?[ /-]{_YEAR}|,? [’']\d\d|/\d\d)?(?!\w)", _A),
    re.compile(rf"(?<!\w){_WEEKDAY}{_DAY}[ -](?:of )?{_MONTH}(?:,?[ -](?:{_YEAR}|[’']?\d\d))?(?!\w)", _A),
    re.compile(rf"(?<!\w){_MONTH},? (?:of )?{_YEAR}(?!\w)", _A),
    re.compile(rf"(?<!\w){_SEASON}(?: of)? {_YEAR}(?!\w)", _A),
    re.compile(rf"(?<!\w){_ALWAYS_MONTH}(?!\w)", re.ASCII),
    re.compile(
        r"(?<!\w)(?:on|by|until|since|from|before|after|was|is) (?P<x>the (?:\d\d?(?:st|nd|rd|th)))"
        r"(?= ?(?:[.,;:!?)\n]|$|(?:and|at|in|to|for|with|but|or)\b))",
        _A,
    ),
    re.compile(rf"(?<!\w){_HOLIDAY}(?!\w)", re.ASCII),
    re.compile(rf"(?<!\w)(?i:{_WHEN}) (?P<x>(?:(?i:early|late|mid)[ -])?(?:March|May))(?!\w)", re.ASCII),
    re.compile(
        rf"(?<!\w)(?:on|dated|born|dob|appointment|admitted|discharged|seen|visit)(?: on)?:? (?P<x>\d\d?/\d\d?)(?![\d/]){_UNITS}", _A
    ),
)
_BIRTH = re.compile(r"(?<!\w)(?:born|dob|date of birth|birth ?date|birthday|birth year|year of birth)(?P<x>[^\n;]{1,40})", _A)

# Ages over 89

_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_NUMBER_WORD = rf"(?:ninety(?:[ -]{_ONES})?|(?:one|a) hundred(?: (?:and )?(?:{_ONES}|ten|eleven|twelve))?)"
_NUMBER = rf"(?:9\d|1[0-2]\d|{_NUMBER_WORD})"
_YEARS = r"(?:years?|yrs?|y)"
_SOMEBODY = (
    r"(?:she|he|they|i|who|mother|father|mom|mum|dad|grandmother|grandfather|grandma|grandpa|husband|wife|patient|client|aunt|uncle)"
)
_AGES: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(?<![\w.]){_NUMBER}(?=[ -]?{_YEARS}[ -./]{{0,2}}(?:old|young|of age|o)(?!\w))", _A),
    re.compile(rf"(?<![\w.])(?P<x>{_NUMBER}) ?(?:y/?o|yo[mf]?|y\.o\.?)(?!\w)", _A),
    re.compile(rf"(?<!\w)age[ds]?(?: (?:of|is|was|at|group|range|band))?[ :=]{{1,3}}(?P<x>{_NUMBER})(?![\w%]){_UNITS}", _A),
    re.compile(rf"(?<!\w)(?:turn(?:s|ed|ing)?|reached) (?P<x>{_NUMBER})(?![\w%]){_UNITS}", _A),
    re.compile(
        rf"(?<!\w){_SOMEBODY}(?:[’']s|[’']m|[’']re|[’']ll be| is| was| am| are| will be)(?: now| already| almost)? (?P<x>{_NUMBER})(?![\w%.:/]\w){_UNITS}",
        _A,
    ),
    re.compile(rf"(?<!\w){_SOMEBODY},? \((?P<x>{_NUMBER})\)", _A),
    re.compile(rf"(?<!\w)(?:lady|man|woman|gentleman|person|patient|client|male|female|resident) of (?P<x>{_NUMBER})(?![\w%]){_UNITS}", _A),
    re.compile(r"(?<![\w.])(?P<x>9\d|1[0-2]\d)(?=[ -]?(?:[MF]|male|female|man|woman)\b)", re.ASCII),
    re.compile(r"(?<!\w)(?P<x>(?:9\d|1[0-2]\d)(?:st|nd|rd|th)|ninetieth|ninety-[a-z]{4,7}|(?:one )?hundredth) birthday(?!\w)", _A),
    re.compile(r"(?<!\w)in (?:his|her|their|my|our) (?:(?:early|mid|late)[ -])?(?P<x>90s|nineties)(?!\w)", _A),
    re.compile(r"(?<!\w)(?:nonagenarian|centenarian|supercentenarian)s?(?!\w)", _A),
)

# Numbers after a word that names them

_NUMBERED = (
    r"(?P<x>(?:(?-i:[A-Z]{2,4})[ #](?=[\d.-]))?(?=[A-Z*/.-]{0,12}\d)[A-Z0-9*](?:[A-Z0-9*./-]{0,38}[A-Z0-9*])?"
    r"(?: (?:(?=[A-Z]{0,3}\d)[A-Z0-9/-]{1,10}|(?-i:[A-Z]{2,3}))(?!\w)){0,6})(?!\w)"
)
_IS = (
    r"(?: ?(?:numbers?|no\.?|nr\.?|nums?\.?|id|ids|code|#|card|template|hash|scan|record|serial|/account|for))?"
    r"(?: ?(?:numbers?|no\.?|#|id|code))?(?: on the card| on file)?(?: ?(?:is|was|are|:|=|#|,|;|\(|-)){0,2} {0,2}\(?"
)


def _named(words: str, instead: str) -> IdentifierPattern:
    """Return the shape of a number after one of these words and the usual words between."""
    return IdentifierPattern(re.compile(rf"(?<!\w)(?:{words}){_IS}{_NUMBERED}{_UNITS}", _A), instead)


def _all(patterns: Iterable[re.Pattern[str]], instead: str | Callable[[re.Match[str]], str | None]) -> Iterator[IdentifierPattern]:
    return (IdentifierPattern(pattern, instead) for pattern in patterns)


_NAMED: tuple[IdentifierPattern, ...] = (
    _named(
        r"mrn|mr ?#|medical[ -]record|med\. ?rec\.|(?:patient|pt\.?) (?:id|number|no\.?|#)|file|chart (?:number|no\.?|#|id)|record (?:number|no\.?|#)|hospital number|nhs",
        "[record number]",
    ),
    _named(
        r"(?:member|subscriber|beneficiary|enrollee|insurance|medicare|medicaid|health[ -]plan|group|policy)(?: id| number| no\.?| #|:|$)|policy|beneficiary|mbi|hicn|ins\.?",
        "[plan number]",
    ),
    _named(
        r"(?:bank )?account|acct\.?|iban|routing|invoice|(?:credit|debit)? ?card|claim|receipt|order (?:number|no\.?|#)|charged to",
        "[account number]",
    ),
    _named(
        r"(?:driver[’']?s[ -]|driving[ -]|state[ -]|medical[ -]|nursing[ -]|professional[ -])?licen[cs]e|lic\.?|certificate|certification|cert\.?|dea|npi|permit|reg\. ?(?:no\.?|#)|licen[cs]ed (?:under|as)",
        "[licence number]",
    ),
    _named(r"vin|vehicle(?: identification)?|registration", "[vehicle]"),
    _named(r"(?:serial|s/n|device|implant(?: serial)?|udi|imei|lot|pump|pacemaker(?: serial)?|mac)(?: address)?", "[device]"),
    _named(r"finger ?print|voice ?print|iris|retinal?|palm|thumb|face (?:id|vector|scan|print)|biometric|gait|dna", "[biometric]"),
    _named(r"photo|picture|pic|selfie|portrait", "[image]"),
    _named(
        r"ssn|social[ -]security|soc\.? sec\.?|last four(?: digits)?(?: of (?:her|his|my|the) (?:ssn|social))?", "[social security number]"
    ),
    _named(
        r"passport|(?:employee|student|case|study|participant|badge|docket|reference|ref|tracking|ticket|confirmation|id|identifier|user ?name|user|subject|"
        r"prescription|rx|accession|specimen|sample|encounter|visit)(?: ?(?:id|number|no\.?|code|#|:))",
        "[number]",
    ),
)
_PLATES = re.compile(
    r"(?<!\w)(?:licen[cs]e[ -]plate|number[ -]plate|plate|tag|registration|car|van|truck)(?:[’']?s)?(?: (?:number|no\.?|#))?[ :,#(]{1,3}(?:is |was )?"
    r"(?P<x>(?=[A-Z -]{0,8}\d)(?:(?-i:[A-Z]{1,4})|(?=[A-Z]{0,4}\d)[A-Z0-9]{1,8}|[A-Z]{3}(?= \d))"
    r"(?:[ -](?:(?-i:[A-Z]{1,4})|(?=[A-Z]{0,3}\d)[A-Z0-9]{1,5})(?!\w)){0,3})(?!\w)" + _UNITS,
    _A,
)

# Numbers recognised by their shape

_NUMBERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<![\w-])(?:\d{3}|xxx|\*{3})([-. ])(?:\d\d|xx|\*\*)\1\d{4}(?![\w-])", _A), "[social security number]"),
    (
        re.compile(r"(?<!\w)[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d-?[AC-HJKMNP-RT-Y]{2}\d\d(?!\w)", _A),
        "[plan number]",
    ),
    (re.compile(r"(?<!\w)[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?!\w)", re.ASCII), "[account number]"),
    (re.compile(r"(?<![\w-])\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}(?![\w-])", _A), "[account number]"),
    (re.compile(r"(?<!\w)(?=[A-HJ-NPR-Z]{0,16}\d)(?=\d{0,16}[A-HJ-NPR-Z])[A-HJ-NPR-Z0-9]{17}(?!\w)", _A), "[vehicle]"),
    (re.compile(r"(?<!\w)[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?!\w)", _A), "[device]"),
    (re.compile(r"\(01\)\d{8,14}(?:\(\d\d\)[A-Z0-9]{1,20}){0,4}", _A), "[device]"),
    (re.compile(r"(?<!\w)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)", _A), "[number]"),
    (re.compile(r"(?<!\w)(?=[a-f]{0,20}\d)[0-9a-f]{16,200}(?!\w)", _A), "[number]"),
    (re.compile(r"(?<!\w)[A-Z]{2,6}[-_](?:\d{2,4}[-_])?\d{3,12}(?:[-_][A-Z0-9]{1,12})?(?!\w)", _A), "[number]"),
    (re.compile(r"(?<![\w$€£.,])\d{7,40}(?![\w.]\d|\w)" + _UNITS, _A), "[number]"),
    (re.compile(r"(?<!\w)(?=[A-Z]{0,7}\d)(?=[A-Z0-9]{0,12}\d{4})[A-Z]{1,8}[A-Z0-9]{5,24}(?!\w)", re.ASCII), "[number]"),
    (re.compile(r"(?<!\w)(?:portrait|photo|img|image|scan|selfie|dsc|pic)[-_ ]?\d{2,12}(?!\w)", _A), "[image]"),
    (re.compile(r"(?<!\w)#\d{4,20}(?!\w)", _A), "[number]"),
    (
        re.compile(
            rf"(?<![\w$€£.,:/-])(?<!cpt )(?<!hcpcs )(?<!loinc )(?<!snomed )(?!{_YEAR}(?!\w))\d{{4,6}}(?![\w,.:/-]\d|\w){_UNITS}", _A
        ),
        "[number]",
    ),
    (
        re.compile(
            r"(?<![\w-])(?=[A-Z]{0,3}\d)(?=[A-Z0-9]{0,5}[A-Z])[A-Z0-9]{1,3}(?:[-/](?=[A-Z0-9]{0,6}[\dA-Z])[A-Z0-9]{1,8}){2,4}(?!\w)",
            re.ASCII,
        ),
        "[number]",
    ),
    (re.compile(r"(?<!\w)[A-Z]{1,4}\d{4,12}[A-Z]?(?!\w)", re.ASCII), "[number]"),
)

# Telephone and fax

_DIGIT_WORD = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_EXTENSION = r"(?:,? ?(?:ext\.?|x|extension) ?\d{1,6})?"
_PHONES: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(?<![\w+])(?:\+?1[ .-]?)?(?:\(\d{{3}}\)|\d{{3}})[ ./-]{{0,2}}\d{{3}}[ ./-]?\d{{4}}(?![\w-]){_EXTENSION}", _A),
    re.compile(rf"(?<![\w.-])\d{{3}}[ .-]\d{{4}}(?![\w-]){_EXTENSION}{_UNITS}", _A),
    re.compile(rf"(?<!\w)(?:\+|00)[1-9]\d{{0,2}}(?:[ .()/-]{{1,3}}\d{{1,8}}){{1,7}}(?!\w){_EXTENSION}", _A),
    re.compile(r"(?<!\w)\+\d{7,15}(?!\w)", _A),
    re.compile(rf"(?<![\w.,/-])\(?0\d{{1,5}}\)?(?: ?[/-] ?| )\d{{2,8}}(?:[ -]\d{{2,6}}){{0,4}}(?![\w.]){_EXTENSION}", _A),
    re.compile(rf"(?<!\w){_DIGIT_WORD}(?:[ ,-]{{1,2}}{_DIGIT_WORD}){{6,14}}(?!\w)", _A),
)

# Electronic addresses, and files of images

_ENDINGS = r"(?:com|org|net|edu|gov|mil|info|biz|io|co|me|us|uk|de|fr|es|it|nl|ca|au|ch|at|eu|health|care|clinic|example|dev|app|blog|site|online|page|link)"
_AT = r"(?: ?(?:\[at\]|\(at\)) ?| at )"
_DOT = r"(?: ?(?:\[dot\]|\(dot\)) ?| dot )"
_ELECTRONIC: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"data:[a-z]{1,20}/[a-z0-9.+-]{1,40}(?:;[a-z0-9=-]{1,40}){0,3},[A-Za-z0-9+/=%_-]*", _A), "[image]"),
    (re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,6}", re.IGNORECASE), "[e-mail]"),
    (re.compile(rf"(?<![\w.%+-])[\w.%+-]{{1,64}}{_AT}[\w-]{{1,63}}(?:{_DOT}|\.){_ENDINGS}(?!\w)", _A), "[e-mail]"),
    (re.compile(r"(?<!\w)(?:https?|ftp|sftp|ssh|file|tel|mailto|sms)://[^\s<>\"')\]]+", re.IGNORECASE), "[web address]"),
    (re.compile(r"(?<![\w.-])localhost(?::\d{1,5})?/[^\s<>\"')\]]*", re.IGNORECASE), "[web address]"),
    (re.compile(r"(?<!\w)www\.[^\s<>\"')\]]+", re.IGNORECASE), "[web address]"),
    (re.compile(rf"(?<![\w@.-])(?:[\w-]{{1,63}}\.){{1,6}}{_ENDINGS}(?![\w-])(?:/[^\s<>\"')\]]*)?", _A), "[web address]"),
    (re.compile(rf"(?<!\w)[\w-]{{2,63}} dot {_ENDINGS}(?: (?:slash|dot|dash) [\w.-]{{1,40}}){{0,4}}(?!\w)", _A), "[web address]"),
    (re.compile(r"(?<![\w@])@[a-z_][\w.]{2,40}", _A), "[account name]"),
    (
        re.compile(
            r"(?<![\w./-])[\w./-]{1,200}(?: \d{1,4})?\.(?:jpe?g|png|gif|heic|heif|tiff?|bmp|webp|dcm|svg|raw|avif|mp4|mov)(?!\w)",
            re.IGNORECASE,
        ),
        "[image]",
    ),
    (re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w.]\d|\w)", _A), "[network address]"),
    (re.compile(r"(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])", _A), "[network address]"),
    (re.compile(r"(?<![\w:])(?:[0-9a-f]{1,4}:){1,7}:(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?(?![\w:])", _A), "[network address]"),
)

# Places

_WAYS = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Place|Pl|Terrace|Ter|Circle|Cir|Parkway|Pkwy|Highway|Hwy|Square|Sq|Trail|Trl|Close"
    r"|Crescent|Alley|Row)"
)
_STATE = r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"
_STATE_NAME = (
    r"(?:Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine"
    r"|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota"
    r"|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming)"
)
_COUNTRY = r"(?:America|Canada|Mexico|England|Scotland|Ireland|Wales|Germany|France|Spain|Italy|Poland|India|China|Japan|Brazil|Europe|Africa|Asia)"
_WORDS = r"(?:[A-Z][\w’'.-]{0,30} ){1,4}"
_UNIT = r"(?:,? (?:apt|apartment|unit|suite|ste|floor|fl|room|rm|#)\.? ?[A-Z0-9-]{1,6})?"
_ZIP = r"\d{5}(?:-\d{4})?"
_CITY = rf"(?!{_STATE_NAME}\b|{_COUNTRY}\b|The\b|This\b|Assisted\b|CPT\b|ICD\b|Code\b)[A-Z][\w’'-]{{2,30}}(?: [A-Z][\w’'-]{{1,30}}){{0,2}}"
_IN = (
    r"(?i:(?:lives?|living|lived|resid(?:es?|ed|ing)|stay(?:s|ed|ing)?|moved|raised|born|rents?|housed?|located|based|grew up|home|rides?|flat|house|apartment)(?: and (?:raised|living|working))?"
    r" (?:in|at|near|to|around|from)|clinics (?:in|near|around)|city of|town of|village of|address(?: on file)?:?|home:)"
)
_PLACES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(rf"(?<!\w)\d{{1,6}}[A-Z]? (?:[NSEW]{{1,2}}\.? )?{_WORDS}?{_WAYS}\b\.?(?i:{_UNIT})(?:, (?:{_CITY}))?", re.ASCII),
        "[address]",
    ),
    (re.compile(r"(?<!\w)(?:P\.? ?O\.? ?Box|Postfach|Post Office Box) \d{1,8}(?!\w)", _A), "[address]"),
    (re.compile(rf"(?<!\w)(?P<x>{_CITY}),? {_STATE}(?![\w-])", re.ASCII), "[place]"),
    (re.compile(rf"(?<!\w)(?P<x>{_CITY}), {_STATE_NAME}\b", re.ASCII), "[place]"),
    (re.compile(rf"(?<!\w)(?:{_STATE}|{_STATE_NAME}),? (?P<x>{_ZIP})(?!\w)", re.ASCII), "[postal code]"),
    (re.compile(rf"(?<!\w)(?P<x>{_CITY},? {_ZIP})(?![\w-])(?i:{_UNITS})", re.ASCII), "[place]"),
    (re.compile(rf"(?<!\w)(?:in|at|near|around|from|to) (?P<x>[a-z’'-]{{3,30}} \d{{5}})(?!\w){_UNITS}", re.ASCII), "[place]"),
    (re.compile(rf"(?<!\w)(?:[Hh]ome|[Aa]ddress|[Ll]ives):? (?P<x>[a-z’'-]{{3,30}} \d{{5}})(?!\w){_UNITS}", re.ASCII), "[place]"),
    (
        re.compile(rf"(?<!\w)(?:[A-Z][a-z’'-]{{1,30}} ){{1,3}}(?:&|and|at) (?:[A-Z][a-z’'-]{{1,30}} )?(?:{_WAYS}|Main)\b", re.ASCII),
        "[address]",
    ),
    (
        re.compile(
            rf"(?<!\w)(?:zip(?: ?code)?|post(?:al)? ?code|area code)(?: is| was)?[ :]{{1,2}}(?P<x>{_ZIP}|[A-Z0-9]{{2,4}} [A-Z0-9]{{3}})(?!\w)",
            _A,
        ),
        "[postal code]",
    ),
    (re.compile(r"(?<![\w-])\d{5}-\d{4}(?![\w-])", _A), "[postal code]"),
    (re.compile(rf"(?<!\w)(?:in|near|around|from|area) (?P<x>\d{{5}})(?![\w,.-]\d|\w){_UNITS}", _A), "[postal code]"),
    (re.compile(r"(?<!\w)[A-Z]{1,2}\d[A-Z0-9]? \d[A-Z]{2}(?!\w)", re.ASCII), "[postal code]"),
    (re.compile(r"(?<!\w)[A-Z]\d[A-Z] ?\d[A-Z]\d(?!\w)", re.ASCII), "[postal code]"),
    (re.compile(rf"(?<!\w){_IN} (?P<x>(?:\d{{5}} )?{_CITY})", re.ASCII), "[place]"),
    (re.compile(rf"(?<!\w)(?P<x>{_CITY}) (?:County|Parish|Township|Borough|district|neighbou?rhood)\b", re.ASCII), "[place]"),
    (re.compile(r"(?<![\w.-])-?\d{1,3}\.\d{3,8}°?(?: ?[NS])?, ?-?\d{1,3}\.\d{3,8}°?(?: ?[EW])?(?!\w)", re.ASCII), "[place]"),
)

# Names after a word that introduces them

_RELATIVE = (
    r"(?:husband|wife|spouse|partner|son|daughter|mother|father|mom|mum|dad|sister|brother|aunt|uncle|cousin|niece|nephew|grandson|granddaughter|grandmother|grandfather"
    r"|girlfriend|boyfriend|fianc[eé]e?|friend|neighbou?r|caregiver|guardian|roommate|boss|colleague|teacher|nurse|therapist|doctor|case manager|social worker)"
)
_NOT_NAMES = (
    r"(?!(?:The|This|That|They|She|He|It|We|You|I|My|Her|His|Our|Your|In|On|At|And|But|Or|If|As|Is|Was|No|Not|Yes|Type|Phase|Part|Step|Stage|Class|Monday|Tuesday|Wednesday"
    r"|Thursday|Friday|Saturday|Sunday)\b)"
)
_PERSONS: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(?<!\w)(?:Dr|Mr|Mrs|Ms|Mx|Miss|Prof|Professor|Doctor|Nurse|Sister|Rev|Father)\.? (?P<x>{_NOT_NAMES}{_NAMES})"),
    re.compile(
        rf"(?<!\w)(?i:my name is|my name’s|my name's|i[’']m called|i am called|i[’']?m|named|call me|known as|nicknamed|this is|signed,?) (?P<x>{_NOT_NAMES}{_NAMES})"
    ),
    re.compile(rf"(?<!\w)(?i:(?:my|her|his|their|our|the|a|your) {_RELATIVE}),? (?P<x>{_NOT_NAMES}{_NAMES})"),
    re.compile(
        rf"(?<!\w)(?i:patient|client|name|contact|resident|member|sincerely|regards|dear|signed|cc|from|to)[:,] (?P<x>{_NOT_NAMES}{_NAMES})"
    ),
    re.compile(rf"(?<!\w)(?P<x>{_NOT_NAMES}{_NAMES}) \((?:(?i:{_RELATIVE}))\)"),
    re.compile(rf"(?<!\w)(?P<x>{_NOT_NAMES}{_NAMES}),? (?:M\.?D|R\.?N|Ph\.?D|Psy\.?D|LCSW|LPC|LMFT|LMHC|D\.?O|N\.?P|PA-C|MSW|Esq)(?!\w)"),
    re.compile(
        rf"(?<!\w)(?i:psychiatrist|psychologist|counsell?or|physician|pediatrician|{_RELATIVE}) (?:is|was) (?P<x>{_NOT_NAMES}{_NAMES})"
    ),
    re.compile(rf"(?<!\w)(?i:dear|patient|client|pt\.?) (?P<x>{_NOT_NAMES}{_NAME} (?:{_CAPITAL}\. )?{_NAME})"),
)

SHAPES: tuple[IdentifierPattern, ...] = (
    *(IdentifierPattern(pattern, instead) for pattern, instead in _ELECTRONIC),
    *_NAMED,
    IdentifierPattern(_PLATES, "[vehicle]"),
    *(IdentifierPattern(pattern, instead) for pattern, instead in _NUMBERS),
    *_all(_PHONES, "[phone]"),
    *_all(_DATES, _year_of),
    *_all(_AGES, OLD),
    *(IdentifierPattern(pattern, instead) for pattern, instead in _PLACES),
    *_all(_PERSONS, "[name]"),
)
"""All shapes. Dates are replaced by their year."""
