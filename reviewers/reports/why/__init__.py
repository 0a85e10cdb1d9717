"""Why a provider was suggested: the list of suggestions, the page of one, and several side by side."""
