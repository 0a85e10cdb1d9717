"""``python -m reviewers.ledger.merkle receipt.txt KEY``: check a receipt without the site, and show its event."""

from __future__ import annotations

import sys
from pathlib import Path

from reviewers.ledger.merkle.notes import read_verifier
from reviewers.ledger.merkle.receipt import open_receipt

_USAGE = "Usage: python -m reviewers.ledger.merkle RECEIPT KEY\nRECEIPT is a file, KEY the log's public key (name+id+key).\n"


def main(arguments: list[str]) -> int:
    """Return 0 if the receipt is valid, 1 if it is not, 2 for wrong arguments."""
    if len(arguments) != 2:
        sys.stderr.write(_USAGE)
        return 2
    try:
        receipt = open_receipt(Path(arguments[0]).read_text(encoding="utf-8"), [read_verifier(arguments[1])])
    except (OSError, ValueError) as error:
        sys.stderr.write(f"Not proven: {error}\n")
        return 1
    checkpoint, told = receipt.checkpoint, receipt.content.decode(errors="backslashreplace")
    sys.stdout.write(f"Sealed as entry {receipt.index} of {checkpoint.size} in {_shown(checkpoint.origin)}:\n{_shown(told)}\n")
    return 0


def _shown(text: str) -> str:
    """Return a text that cannot control the terminal, nor turn what follows around."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
