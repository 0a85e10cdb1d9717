"""What characters can be mistaken for: brackets and letters in their plain shape, formless marks invisible."""

from __future__ import annotations

import unicodedata

INVISIBLE = "\0"

_OPENING = "［⟦〚⁅﹇⦋⦍⦏⸢⸤⹕⹗⹙⹛【「『〔〖〘⎡⎢⎣❲⟬⦗〈《"
_CLOSING = "］⟧〛⁆﹈⦌⦎⦐⸣⸥⹖⹘⹚⹜】」』〕〗〙⎤⎥⎦❳⟭⦘〉》"
_COLON = "：︓﹕∶꞉ː׃։"
_LETTERS = {
    **dict(zip("аеорсхуіѕјԁкмтнвгѵԛԝ", "aeopcxyisjdkmthbrvqw", strict=True)),
    **dict(zip("АЕОРСХУІЅЈКМТНВԌҐ", "AEOPCXYISJKMTHBGG", strict=True)),
    **dict(zip("αεοινρτυκχΑΕΟΙΝΡΤΥΚΧΒΗΜΖϹ", "aeoivptukxAEOINPTYKXBHMZC", strict=True)),
}
_MOST_REMEMBERED = 8_192


def skeleton(text: str, lowered: str) -> str:
    """Return what a text can be mistaken for, as long as it is; ``lowered`` is the text in lower case."""
    return lowered if text.isascii() else text.translate(_SKELETON)


class _Skeleton(dict[int, str]):
    """Code point to what it can be mistaken for, lower case. Bounded like the folding table."""

    def __missing__(self, code: int) -> str:
        shape = _shape(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = shape
        return shape


def _shape(character: str) -> str:
    if unicodedata.category(character) in ("Cf", "Mn", "Me") and character not in "\n\r\t":
        return INVISIBLE
    compatible = unicodedata.normalize("NFKC", character)
    shape = compatible if len(compatible) == 1 else character
    lowered = shape.lower()
    return lowered if len(lowered) == 1 else shape


def _table() -> dict[int, str]:
    groups = ((_OPENING, "["), (_CLOSING, "]"), (_COLON, ":"))
    table = {ord(character): shape for characters, shape in groups for character in characters}
    return table | {ord(character): shape.lower() for character, shape in _LETTERS.items()}


_SKELETON = _Skeleton(_table())
