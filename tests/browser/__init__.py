"""A package, so that the browser and the site that its fixtures start end with its last test."""
