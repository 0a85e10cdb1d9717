"""Words that systems shorten in the names of fields, and values that they write with more than their class has: ``in_person_only``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.text import words

_ABBREVIATED = """
    addr:address amt:amount appt:appointment appts:appointments auth:authorization avail:available bal:balance cert:certified
    coins:coinsurance curr:current ded:deductible deduct:deductible dept:department dt:date dx:diagnosis eff:effective
    elig:eligibility exp:expiration fam:family freq:frequency grp:group hx:history ins:insurance lang:language langs:languages
    lim:limit loc:location mbr:member mos:months nbr:number num:number org:organization oop:out_of_pocket pct:percent ph:phone
    pref:preferred prov:provider pt:patient qty:quantity rem:remaining reqd:required resp:responsibility rx:prescription
    spec:specialty svc:service svcs:services tel:phone tx:treatment wks:weeks yrs:years ytd:year_to_date
"""
_SHORT = dict(each.split(":") for each in _ABBREVIATED.split())
_SIDES, _FLAGS = {"l": "left", "r": "right", "b": "both"}, {"l": "low", "h": "high", "n": "normal", "a": "abnormal"}
_POSTAL = """
    al:alabama ak:alaska az:arizona ar:arkansas ca:california co:colorado ct:connecticut de:delaware fl:florida ga:georgia hi:hawaii
    id:idaho il:illinois in:indiana ia:iowa ks:kansas ky:kentucky la:louisiana me:maine md:maryland ma:massachusetts mi:michigan
    mn:minnesota ms:mississippi mo:missouri mt:montana ne:nebraska nv:nevada nh:new_hampshire nj:new_jersey nm:new_mexico ny:new_york
    nc:north_carolina nd:north_dakota oh:ohio ok:oklahoma or:oregon pa:pennsylvania ri:rhode_island sc:south_carolina sd:south_dakota
    tn:tennessee tx:texas ut:utah vt:vermont va:virginia wa:washington wv:west_virginia wi:wisconsin wy:wyoming
"""
_STATES = dict(each.split(":") for each in _POSTAL.split())
_LETTERS = {
    **dict.fromkeys(("side", "laterality", "eye", "ear"), _SIDES),
    **dict.fromkeys(("flag", "interpretation"), _FLAGS),
    **dict.fromkeys(("state", "states", "licensed"), _STATES),
}
"""Letters that abbreviate values, by a word of the field's name."""
_MOST_LETTERS = 2
_MEASURED = words("""
    duration length session visit appointment appt wait slot drive commute travel eta trip ride walk late call lead notice lasts
""")
"""Before a last ``min``, words of what takes minutes; of anything else it is the least that there may be."""
_STORED = words("code cd ind flag flg yn desc description txt")
"""Last words of names that say how a value is stored: ``specialty_code``."""
_ALL = words("only exclusively solely")
_NO_MODIFIERS = words("not no non never without former ex past none un anti open to of with for by at in on from or and than")
"""Words behind which the rest of a value is not what the whole is."""
_MOST_MODIFIERS = 3


def spelt_out(name: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a field's name without abbreviations, and without what says only how its value is stored."""
    while len(name) > 1 and name[-1] in _STORED:
        name = name[:-1]
    if len(name) > 1 and name[-1] == "min" and not _MEASURED.isdisjoint(name):
        name = (*name[:-1], "minutes")
    return tuple(part for word in name for part in _SHORT.get(word, word).split("_"))


def limited_to(value: str) -> str | None:
    """Return what a value says to be all, without the word that says so: ``telehealth_only``."""
    said = value.replace("_", " ").split()
    if len(said) > 1 and said[-1].lower() in _ALL:
        return " ".join(said[:-1])
    return " ".join(said[1:]) if len(said) > 1 and said[0].lower() in _ALL else None


def word_for(value: str, name: Sequence[str]) -> str:
    """Return the word that letters abbreviate under a field's name: "L" of a side, "OR" of a state."""
    letters = (_LETTERS[word] for word in name if word in _LETTERS) if len(value) <= _MOST_LETTERS else ()
    return next((each[value.lower()] for each in letters if value.lower() in each), value)


def heads_of(value: str) -> Iterator[str]:
    """Yield what is left of a value without the first of its words, which only say of which sort it is: ``pediatric_cardiology``."""
    said = value.replace("_", " ").split() if value.islower() else []
    for place in range(1, min(len(said), _MOST_MODIFIERS + 1)):
        if said[place - 1] in _NO_MODIFIERS:
            return
        yield " ".join(said[place:])
