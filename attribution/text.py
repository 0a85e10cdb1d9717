"""Texts as words: length-preserving folding, stems, spellings, the ends of clauses, the language; offsets are code points."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from attribution.remembering import remembered

_CLOSED = r"(?=[\s\"'”’)\]*]|\Z)"
_BETWEEN_SPACES = r"(?<=\s.)(?=\s)"
_NO_SHORT_FORM = (
    r"(?:(?<=[a-z]{3}\.)(?<!\bProf\.)(?<!\bapprox\.)"
    r"|(?<![a-z]{3}\.)(?<!\b[DMJS]r\.)(?<!\bM[rs]s\.)(?<!\b[MS][st]\.)(?<!\bvs\.)(?<!\b[A-Z]\.)(?<!\b[ei]\.[ge]\.))"
)
"""Not the full stop of a title, an initial or a short form. Behind three small letters only the long ones are looked for."""

_CLAUSE_ENDS = {
    ".": re.compile(rf"\.{_CLOSED}{_NO_SHORT_FORM}"),
    "!": re.compile(rf"!{_CLOSED}"),
    "?": re.compile(rf"\?{_CLOSED}"),
    ",": re.compile(r",(?=\s)"),
    ":": re.compile(r":(?=\s)"),
    "–": re.compile(rf"–{_BETWEEN_SPACES}"),
    "-": re.compile(rf"-{_BETWEEN_SPACES}"),
    "—": re.compile("—"),
    ";": re.compile(";"),
    "\n": re.compile(r"\n"),
}
"""The ends of clauses, by their first sign: looking whether a text has a sign at all costs next to nothing."""


def clause_ends(text: str) -> list[int]:
    """The offsets behind each clause: at sentence ends, semicolons, colons, commas and dashes."""
    return sorted([match.end() for sign, pattern in _CLAUSE_ENDS.items() if sign in text for match in pattern.finditer(text)])


_PAIRS = """
    anaesthesia anesthesia  anaesthetic anesthetic  behaviour behavior  behavioural behavioral  behaviours behaviors
    cancelled canceled  centre center  centres centers  cheque check  colour color  colours colors  counsellor counselor
    counsellors counselors  enquiry inquiry  enquiries inquiries  favourite favorite  favourites favorites  fibre fiber
    flavour flavor  flavours flavors  grey gray  gynaecologist gynecologist  gynaecology gynecology  harbour harbor  honour honor
    humour humor  jewellery jewelry  kilometre kilometer  kilometres kilometers  labour labor  licence license  litre liter
    litres liters  metre meter  metres meters  neighbour neighbor  neighbours neighbors  neighbourhood neighborhood
    oestrogen estrogen  organisation organization  organisations organizations  orthopaedic orthopedic  orthopaedics orthopedics
    paediatric pediatric  paediatrics pediatrics  paediatrician pediatrician  practise practice  programme program
    programmes programs  specialise specialize  specialised specialized  specialises specializes  theatre theater
    theatres theaters  traveller traveler  travellers travelers  tyre tire  tyres tires
"""
_WORDS = _PAIRS.split()

SPELLINGS = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))


JOINER = "\0"
"""The sign that folding puts where a character belongs to the word around it but has no shape of its own: accents, zero-width marks."""

_LONGEST_OF_ONE_SYLLABLE = len("spell")
_VOWELS = frozenset("aeiouy")
_ONE_SHORT_SYLLABLE = re.compile(r"[^aeiou]*[aeiouy][^aeiouwxy]")


def fold(text: str) -> str:
    """Lower case without accents, everything that is not a letter or digit a space; as long as ``text``."""
    return text.encode().translate(_FOLDED_ASCII).decode() if text.isascii() else text.translate(_FOLDED)


def lower(text: str) -> str:
    """Lower case, as long as ``text``: a character whose lower case is longer stays as it is."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def split_words(folded: str) -> list[str]:
    """The words of folded text, without joiners."""
    words = folded.split()
    return [word for piece in words if (word := piece.replace(JOINER, ""))] if JOINER in folded else words


def fold_words(text: str) -> list[str]:
    """The folded words of a text, in order."""
    return split_words(fold(text))


def index_words(folded: str) -> tuple[list[str], list[int], dict[str, list[int]]]:
    """The words of folded text, where each begins, and for each different word its places among them; joiners alone are no word."""
    words: list[str] = []
    starts: list[int] = []
    places: dict[str, list[int]] = {}
    has_joiners = JOINER in folded
    start = 0
    for piece in folded.split(" "):
        word = piece.replace(JOINER, "") if has_joiners else piece
        if word:
            if word in places:
                places[word].append(len(words))
            else:
                places[word] = [len(words)]
            words.append(word)
            starts.append(start)
        start += len(piece) + 1
    return words, starts, places


_CAMEL_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@remembered
def words_of(text: str) -> tuple[str, ...]:
    """The folded words of a short text such as a value or a label."""
    return tuple(split_words(fold(text)))


@remembered
def spaced(name: str) -> str:
    """Return the name of a field or a section with its words apart: "sleep Study" of ``sleepStudy``."""
    return _CAMEL_HUMP.sub(" ", name).replace("_", " ").replace(".", " ")


@remembered
def stem(word: str) -> str:
    """A word without its plain inflection, in American spelling: services, serviced, servicing → servic; berries → berry; notes → note."""
    if len(word) < 4 or not word.isalpha():
        return word
    word = SPELLINGS.get(word, word)
    if word.endswith(("ies", "ied", "ie")) and len(word) > 4:
        return word.rpartition("ie")[0] + "y"
    for suffix in ("ing", "ed"):
        root = word.removesuffix(suffix)
        if root != word and len(root) > 2 and not _VOWELS.isdisjoint(root) and not word.endswith("eed"):
            return _without_e(_verb(root))
    return _without_e(word[:-1] if word[-1] == "s" and word[-2] not in "su" else word)


def _verb(root: str) -> str:
    """The verb before -ing or -ed: plann → plan, tak → take, offer → offer."""
    is_british = len(root) > _LONGEST_OF_ONE_SYLLABLE and root.endswith("ell")
    if len(root) > 3 and root[-1] == root[-2] and (is_british or root[-1] not in "lseo"):
        return root[:-1]
    return root + "e" if _ONE_SHORT_SYLLABLE.fullmatch(root) else root


def _without_e(word: str) -> str:
    """A silent e goes, but not where it tells two words apart: plane and plan, note and not."""
    is_silent = len(word) > 3 and word[-1] == "e" and not _ONE_SHORT_SYLLABLE.fullmatch(word[:-1])
    return word[:-1] if is_silent else word


_MOST_REMEMBERED = 8_192


class _Folding(dict[int, str]):
    """Code point to its folded character, worked out on first use. It stops growing at a bound: hostile text has a million."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = folded
        return folded


def _fold_character(character: str) -> str:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return JOINER
    if not character.isalnum():
        return " "
    parts = unicodedata.normalize("NFD", character)
    base = parts[0] if all(map(unicodedata.combining, parts[1:])) else character
    lowered = base.lower()
    return lowered if len(lowered) == 1 else character


_FOLDED = _Folding({code: _fold_character(chr(code)) for code in range(0x250)})
_FOLDED_ASCII = bytes(ord(_fold_character(chr(code))) for code in range(0x80)) + bytes(0x80)
"""The folding of bytes, which are translated three times as fast."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def stems(text: str) -> frozenset[str]:
    """The stems of the words of a text."""
    return frozenset(map(stem, text.split()))


# The language of an answer by its script and its function words: a short table, no model.

_SCRIPTS = (
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u0dff]")),
    ("vi", re.compile("[đơưăạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")),
)
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": words("the is are was and your you of to for with that it on in at this have has not be will from she he they can"),
    "es": words("el la los las es de su y con que en para por una un del al se lo tiene como usted esta sus no le habla lleva cuesta"),
    "de": words("""
        der die das ist und ihre ihr mit fur ein eine nicht wird bei von zu am um sie den dem liegt auf im hat er ihrer ihrem ihren in auch
        noch oder aber nur sich sind als alle gilt fur spricht kommt kostet findet
    """),
    "fr": words(
        "le la les est et votre vous de pour avec une un du des en pas que dans au il elle sont sur ne vos parle parlez vient coute"
    ),
    "pt": words("o os e seu sua de com que em para por uma um da nao voce na esta ao das dos ela ele fala vem custa tem"),
    "it": words("il la gli le e di con che per una un del della non suo sua il lei sono nel ha in anche alla anni parla viene costa"),
    "vi": words("la cua ban va khong tieng noi bac si ngay cho voi duoc"),
    "nl": words("de het een en van met voor is uw niet op te zijn bij dat u er naar heeft in ook"),
}
_NAMES_OF = {
    word: [name for name, known in _FUNCTION_WORDS.items() if word in known] for word in frozenset().union(*_FUNCTION_WORDS.values())
}
"""The languages that have a word."""
NAMES = {
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "ar": "Arabic",
    "ru": "Russian",
    "he": "Hebrew",
    "el": "Greek",
    "hi": "an Indian language",
    "de": "German",
    "fr": "French",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
    "vi": "Vietnamese",
}
READ = frozenset({"en", "es"})
"""Languages that are read with grammar."""
_LONGEST = 2_000
_FEWEST, _FEWEST_ALONE = 3, 2
"""The fewest words of the table that tell a language, and the fewest where no word is English."""
_ENGLISH = _FUNCTION_WORDS["en"] | words("""
    we they he she it not but by my our their his her its does did would could should may might must if when
    what which who how there here these those some any more than about out up so been being had just also please see call yes
""")
"""Words by which even a few words are English, though other languages may have them too."""
_ALPHABET = re.compile("[¿¡ñãõçßäöüàèìòùâêîôûëïœæ]")
"""Signs that hardly any English word has."""


def language_of(text: str, places: Mapping[str, Sequence[int]]) -> str:
    """The language's short name: English unless another has more words of the table. ``places`` are the places of each word."""
    if not text.isascii():
        beginning = text[:_LONGEST]
        most, name = max((len(pattern.findall(beginning)), name) for name, pattern in _SCRIPTS)
        if most > max(_FEWEST, len(beginning) // 10):
            return name
    counts = dict.fromkeys(_FUNCTION_WORDS, 0)
    for word in places.keys() & _NAMES_OF.keys():
        for name in _NAMES_OF[word]:
            counts[name] += len(places[word])
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    if counts[best] >= _FEWEST and counts[best] > 1.5 * counts["en"]:
        return best
    is_plain = text.isascii() or _ALPHABET.search(text[:_LONGEST].lower()) is None
    fewest = _FEWEST_ALONE if is_plain else 1
    return best if counts[best] >= fewest and _ENGLISH.isdisjoint(places) else "en"


def nearest(text: str, backwards: str, words: str, offset: int) -> tuple[int, int] | None:
    """Return where words are in a text, as near to an offset as they do; before it rather than behind.

    They are looked for before it in the text written backwards: a search from the end takes as many steps as both are long, multiplied.
    """
    last = max(0, len(text) - offset - len(words))
    before = backwards.find(words[::-1], last)
    behind = text.find(words, offset)
    begins = [len(text) - before - len(words)] if before >= 0 else []
    begins += [behind] if behind >= 0 else []
    begin = min(begins, key=lambda place: abs(place - offset), default=-1)
    return (begin, begin + len(words)) if begin >= 0 else None
