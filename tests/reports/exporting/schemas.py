"""Schemas of interchange formats that come without one, written from the wording of their standards."""

from __future__ import annotations

from typing import Any

_TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
_IRI = {"type": "string", "pattern": "^(urn:|https?:)"}

SELECTOR: dict[str, Any] = {
    "oneOf": [
        {
            "properties": {
                "type": {"const": "TextPositionSelector"},
                "start": {"type": "integer", "minimum": 0},
                "end": {"type": "integer", "minimum": 0},
            },
            "required": ["type", "start", "end"],
            "additionalProperties": False,
        },
        {
            "properties": {
                "type": {"const": "TextQuoteSelector"},
                "exact": {"type": "string"},
                "prefix": {"type": "string"},
                "suffix": {"type": "string"},
            },
            "required": ["type", "exact"],
            "additionalProperties": False,
        },
    ]
}
"""Web Annotation Data Model, 4.2.4 and 4.2.5."""

MOTIVATIONS = ["assessing", "bookmarking", "classifying", "commenting", "describing", "editing", "highlighting"]
MOTIVATIONS += ["identifying", "linking", "moderating", "questioning", "replying", "tagging"]

ANNOTATION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": _IRI,
        "type": {"const": "Annotation"},
        "motivation": {"enum": MOTIVATIONS},
        "created": _TIME,
        "creator": {
            "properties": {"type": {"enum": ["Person", "Organization", "Software"]}, "name": {"type": "string"}},
            "required": ["type", "name"],
        },
        "body": {
            "type": "array",
            "items": {
                "oneOf": [
                    {
                        "properties": {"type": {"const": "TextualBody"}, "value": {"type": "string"}, "purpose": {"enum": MOTIVATIONS}},
                        "required": ["type", "value"],
                    },
                    {
                        "properties": {"type": {"const": "SpecificResource"}, "source": _IRI, "purpose": {"enum": MOTIVATIONS}},
                        "required": ["type", "source"],
                    },
                ]
            },
        },
        "target": {"properties": {"source": _IRI, "selector": {"type": "array", "items": SELECTOR}}, "required": ["source"]},
    },
    "required": ["id", "type", "target"],
    "additionalProperties": False,
}
"""Web Annotation Data Model, 3.1 to 3.3."""

COLLECTION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "@context": {"const": "http://www.w3.org/ns/anno.jsonld"},
        "id": _IRI,
        "type": {"const": "AnnotationCollection"},
        "label": {"type": "string"},
        "total": {"type": "integer", "minimum": 0},
        "first": {
            "properties": {
                "id": _IRI,
                "type": {"const": "AnnotationPage"},
                "startIndex": {"type": "integer", "minimum": 0},
                "items": {"type": "array", "items": ANNOTATION},
            },
            "required": ["id", "type", "items"],
        },
    },
    "required": ["@context", "id", "type", "first"],
    "additionalProperties": False,
}
"""Web Annotation Data Model, 5.1 and 5.2."""

OPENINFERENCE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "span_id": {"type": "string", "minLength": 1},
        "name": {"type": "string", "minLength": 1},
        "annotator_kind": {"enum": ["LLM", "CODE", "HUMAN"]},
        "result": {
            "properties": {"label": {"type": "string"}, "score": {"type": "number"}, "explanation": {"type": "string"}},
            "anyOf": [{"required": ["label"]}, {"required": ["score"]}, {"required": ["explanation"]}],
            "additionalProperties": False,
        },
        "identifier": {"type": "string"},
        "metadata": {"type": "object"},
    },
    "required": ["span_id", "name", "annotator_kind", "result"],
    "additionalProperties": False,
}
"""Annotations of spans as collectors of OpenInference traces take them."""

LABEL_STUDIO: dict[str, Any] = {
    "type": "array",
    "items": {
        "properties": {
            "data": {"properties": {"text": {"type": "string"}}, "required": ["text"]},
            "annotations": {
                "type": "array",
                "items": {
                    "properties": {
                        "created_at": _TIME,
                        "result": {
                            "type": "array",
                            "items": {
                                "properties": {
                                    "id": {"type": "string"},
                                    "from_name": {"enum": ["verdict", "unseen"]},
                                    "to_name": {"const": "text"},
                                    "type": {"enum": ["labels", "choices"]},
                                    "value": {"type": "object"},
                                },
                                "required": ["id", "from_name", "to_name", "type", "value"],
                            },
                        },
                    },
                    "required": ["result"],
                },
            },
        },
        "required": ["data", "annotations"],
    },
}
"""Tasks with annotations, as they are imported."""
