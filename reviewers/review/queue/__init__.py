"""The queue: its filters, counts, pages and views."""
