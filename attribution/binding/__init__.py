"""Which field a mention speaks of: nearness of labels, the entity in focus, an assignment over the sentence."""
