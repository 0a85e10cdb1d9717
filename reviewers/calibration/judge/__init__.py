"""The offline judge: a model labels the answers of a plan, separately from people; nothing is learned from its labels."""
