"""Measure calibration on labelled turns: confidences from few labels, tested on all turns that have none of them."""
