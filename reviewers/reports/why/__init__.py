"""Why a provider was suggested: the list of suggestions, the page of one, several side by side."""
