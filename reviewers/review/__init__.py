"""Queue, leases, the review page, labels and submissions."""
