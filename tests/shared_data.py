"""Where the optional shared data lies, and the skip for tests that need it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(
    os.environ.get("PODCAST_SCRAPER_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data")
)


def shared(path: str) -> Path:
    """Return a path of the shared data, or skip the calling test where it is absent."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"shared data absent: {path} (set PODCAST_SCRAPER_SHARED_DATA)")
    return found
