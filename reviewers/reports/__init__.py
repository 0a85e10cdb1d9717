"""Why a provider was suggested, and reports of answers with their evidence, for people who do not label."""
