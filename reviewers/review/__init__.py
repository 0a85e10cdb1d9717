"""Review: the queue, leases, the review page, labels, plans, adjudication, signatures, redaction and legal holds."""
