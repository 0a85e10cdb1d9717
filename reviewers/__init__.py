"""The review desk: a Django site divided by what people do."""
