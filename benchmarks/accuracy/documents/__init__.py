"""Measure how right the engine is on answers that cite documents: supported claims, and quotes in their places."""
