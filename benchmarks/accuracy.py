"""``make accuracy``: the engine on labelled turns beside the checkout, judged by the scorer that comes with them.

The turns and the scorer are not part of this project (their licences differ); without them there is nothing to measure.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.site import ROOT

_DATA = ROOT.parent / "shared" / "data"
_FILES = ("sgd_dev", "dstc11_dev")


def main() -> int:
    """Attribute each file by the command line and score it."""
    if not (_DATA / "score.py").exists():
        sys.stdout.write("No labelled turns beside the checkout (../shared/data); nothing to measure.\n")
        return 0
    for name in _FILES:
        sys.stdout.write(f"\n{name}\n")
        sys.stdout.flush()
        _score(_DATA / f"{name}.jsonl.gz")
    return 0


def _score(gold: Path) -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as predictions:
        turns = subprocess.Popen(["gzip", "-dc", str(gold)], stdout=subprocess.PIPE)  # noqa: S603, S607
        subprocess.run([sys.executable, "-m", "attribution"], stdin=turns.stdout, stdout=predictions, check=True, cwd=ROOT)
        subprocess.run([sys.executable, str(_DATA / "score.py"), str(gold), predictions.name], check=True)  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
