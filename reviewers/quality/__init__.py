"""How good answers are, by model, prompt and time: counted as they come in, shown as lines, watched by alarms."""
