"""The formats of reports: each a function from the parts of a report to bytes."""
