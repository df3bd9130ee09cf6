"""``python -m tests.index.killed_build CORPUS CALLS [--rebuild]``: build, and die on the way.

The process kills itself at that call of a function, wherever it is; with 0 it lives and prints how
many calls there were. Files are limited to LIMIT bytes where the variable is set.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path

from podcast_scraper.errors import PodcastScraperError
from podcast_scraper.index import build
from tests.index.encoders import WordEncoder


def main() -> None:
    corpus, deadly = Path(sys.argv[1]), int(sys.argv[2])
    build.open_encoder = lambda *_, **__: WordEncoder()  # type: ignore[assignment]
    if limit := os.environ.get("LIMIT"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    try:
        build.build_index(corpus, rebuild="--rebuild" in sys.argv)
    except PodcastScraperError as error:
        sys.setprofile(None)
        sys.exit(f"{type(error).__name__}: {error}")
    sys.setprofile(None)
    print(calls)


if __name__ == "__main__":
    main()
