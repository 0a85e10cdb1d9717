"""The formats of reports: each is a function from the parts of a report to bytes."""
