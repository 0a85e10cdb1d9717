"""The context as fields that answers speak of: kinds, labels, classes of values, entities."""
