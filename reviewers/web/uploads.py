"""Files that are sent with a form: held in memory, and no larger than a record may be."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import MemoryFileUploadHandler


class BoundedUploadHandler(MemoryFileUploadHandler):
    """Keeps a file up to one byte more than it may have, so that whoever reads it sees that it is too large; the rest is not kept."""

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None) -> None:  # noqa: N803 — as it is called
        """Hold all files here, however much the whole request is."""
        del input_data, META, content_length, boundary, encoding
        self.activated = True

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep what still has room."""
        self.file.write(raw_data[: max(0, settings.LARGEST_RECORD + 1 - start)])

    def file_complete(self, file_size: int) -> Any:
        """The file as it was kept."""
        return super().file_complete(min(file_size, settings.LARGEST_RECORD + 1))
