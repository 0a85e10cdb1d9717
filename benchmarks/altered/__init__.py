"""Contradictions measured: answers of labelled turns altered one value at a time, and those that nobody has altered.

What is found of the altered ones is detection; what is found of the others are false alarms, or errors of the turns themselves.
"""
