"""The quality of answers by model, prompt version and day: counts, charts and alarms."""
