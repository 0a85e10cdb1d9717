"""``python verify.py bundle.zip``: says in plain words what was checked, and what was withheld."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from reviewers.reports.exporting.bundle.verifier.checking import Verified, verify
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt

_USAGE = "Usage: python verify.py BUNDLE [KEY ...]\nBUNDLE is the zip file, KEY a public key of the log that you have from elsewhere.\n"


def main(arguments: Sequence[str]) -> int:
    """0 where everything holds, 1 at any doubt, 2 where it was not asked for right."""
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write(_USAGE)
        return 2
    try:
        found = verify(arguments[0], arguments[1:])
    except Doubt as doubt:
        _say(["This bundle does not hold.", f"{doubt.where}: {doubt.what}."])
        return 1
    _say(words(found, is_trusted=len(arguments) > 1))
    return 0


def _say(lines: Iterable[str]) -> None:
    """Write lines. What a bundle names begins no line of its own, steers no terminal, and is escaped where the output lacks it."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
        sys.stdout.write(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def words(found: Verified, *, is_trusted: bool) -> Iterator[str]:
    """What was found, line by line."""
    yield "This bundle holds."
    yield f"It is the report “{found.title}” of {found.organisation}, with {_count(found.answers, 'answer')}."
    yield ""
    yield "Checked:"
    yield f"- All {found.files} files are those that the manifest lists."
    for each in found.checkpoints:
        yield f"- The checkpoint over {each.size} events of {each.origin} is signed by its key."
    yield f"- {_count(found.events, 'event')} proven to stand in the log, each at its place."
    yield f"- {_count(found.values, 'text or value', 'texts and values')} those that were frozen, byte for byte."
    yield f"- {_count(found.labels, 'label')} and {_count(found.signatures, 'signature')} those that were recorded."
    yield f"- The report is the one whose export is entry {found.exported.index} of {found.exported.log}, {found.exported.body['at']}."
    yield ""
    yield "Withheld:"
    withheld = f"{_count(found.withheld_parts, 'part')} of the records and {_count(found.withheld_rows, 'row')} of tables"
    yield f"- {withheld}: it is proven that they were sealed, not what they say."
    if found.redacted:
        redacted = _count(found.redacted, "text or value", "texts and values")
        yield f"- {redacted} redacted by two people: what was sealed of it is gone for good."
    if found.masked:
        masked = _count(found.masked, "text, value or signature", "texts, values and signatures")
        yield f"- {masked} masked in this report: that they were sealed is proven where it is counted above, not what they say."
    if found.is_deidentified:
        yield "- The report is de-identified: the events behind its answers are not in the bundle, for they tell when and of whom."
        yield "  So it is shown that this is the report that was exported, not that it agrees with the records."
    if found.blind:
        yield f"- {_count(found.blind, 'answer')} under blind review: what is said of them is not shown yet."
    if found.waiting:
        since = f"; {found.sealed_since} of them since, which is proven above" if found.sealed_since else ""
        yield f"- {_count(found.waiting, 'event')} not sealed yet when the report was made{since}."
    yield ""
    yield "This shows that nothing was changed after it was sealed. It does not show that what was recorded is true."
    if is_trusted:
        yield "The keys are those that you gave."
    else:
        yield "The keys came with the bundle. Compare them with those that you have from elsewhere:"
        yield from (f"  {key}" for key in found.keys)


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
