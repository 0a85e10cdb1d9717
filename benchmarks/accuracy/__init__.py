"""Measure how right the engine is on labelled turns, which rules earn their scores, and if both hold on texts that they were not made for.

The turns and their scorer are not part of this project (their licences differ), nor is any text of theirs: without them there is
nothing to measure.
"""
