"""The readers of exports, one a tool: pure functions from exported objects to the spans and scores of a turn."""

from __future__ import annotations

from collections.abc import Mapping

from reviewers.snapshots.importers.tool import Tool
from reviewers.snapshots.importers.tools.label_studio import LABEL_STUDIO
from reviewers.snapshots.importers.tools.langfuse import LANGFUSE
from reviewers.snapshots.importers.tools.langsmith import LANGSMITH
from reviewers.snapshots.importers.tools.openai import OPENAI
from reviewers.snapshots.importers.tools.phoenix import PHOENIX

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (LANGFUSE, LANGSMITH, PHOENIX, OPENAI, LABEL_STUDIO)}
"""The tools by name, in the order in which an object is tried."""
