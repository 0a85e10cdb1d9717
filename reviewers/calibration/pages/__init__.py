"""Pages of calibration: a combination, the planner, a profile and its details."""
