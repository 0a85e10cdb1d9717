"""Calibration: labels become profiles, and profiles turn scores into confidences."""
