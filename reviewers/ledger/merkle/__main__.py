"""``python -m reviewers.ledger.merkle receipt.txt KEY``: checks a receipt without the site, and shows the event it is of."""

from __future__ import annotations

import sys
from pathlib import Path

from reviewers.ledger.merkle.notes import read_verifier
from reviewers.ledger.merkle.receipt import open_receipt

_USAGE = "Usage: python -m reviewers.ledger.merkle RECEIPT KEY\nRECEIPT is a file, KEY the log's public key (name+id+key).\n"


def main(arguments: list[str]) -> int:
    """0 where the receipt holds, 1 where it does not, 2 where it was not asked for right."""
    if len(arguments) != 2:
        sys.stderr.write(_USAGE)
        return 2
    try:
        receipt = open_receipt(Path(arguments[0]).read_text(encoding="utf-8"), [read_verifier(arguments[1])])
    except (OSError, ValueError) as error:
        sys.stderr.write(f"Not proven: {error}\n")
        return 1
    checkpoint = receipt.checkpoint
    sys.stdout.write(f"Sealed as entry {receipt.index} of {checkpoint.size} in {checkpoint.origin}:\n{receipt.content.decode()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
