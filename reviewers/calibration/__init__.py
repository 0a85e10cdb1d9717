"""Labels become profiles, profiles become confidences: gathering, fitting, comparing, approving."""
