"""``python -m podcast_scraper`` is the ``podcast-scraper`` command."""

from podcast_scraper.cli.main import run

if __name__ == "__main__":
    run()
