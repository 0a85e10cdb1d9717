"""Webhooks: addresses of an organisation that are told what happened, and the deliveries to them."""
