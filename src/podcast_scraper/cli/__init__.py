"""The ``podcast-scraper`` command."""
