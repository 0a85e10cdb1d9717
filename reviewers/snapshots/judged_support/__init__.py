"""Support judged by a model: for each citation of an answer, whether its source supports it. Nothing is derived from the judgements."""
