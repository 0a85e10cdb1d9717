"""The lines of a file that somebody sends with a form, uncompressed, and no more of them than a record may have bytes."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import BinaryIO

from django.conf import settings

from reviewers.calibration.importing.sources import Numbered
from reviewers.calibration.label_sets import NotLabelsError

_GZIP = b"\x1f\x8b"


def lines_of_file(file: BinaryIO) -> list[Numbered]:
    """The lines that are not empty, with their numbers. Raises ``NotLabelsError`` for what is too large, also once it is unfolded."""
    content = _unfolded(_bounded(file))
    return [(number, line) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip()]


def _unfolded(content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as unfolding:
            return _bounded(unfolding)
    except (EOFError, OSError, zlib.error) as error:
        raise NotLabelsError("the file is damaged: it is no whole gzip file") from error


def _bounded(file: BinaryIO | gzip.GzipFile) -> bytes:
    content: bytes = file.read(settings.LARGEST_RECORD + 1)
    if len(content) > settings.LARGEST_RECORD:
        most = settings.LARGEST_RECORD // (1024 * 1024)
        raise NotLabelsError(f"it is larger than {most} MB; the command import_labels takes larger ones")
    return content
