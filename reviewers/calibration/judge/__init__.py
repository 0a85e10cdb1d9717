"""An offline judge: a model labels what people have drawn into a plan, as an annotator of its own that nothing is learned from."""
