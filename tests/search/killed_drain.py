"""``python -m tests.search.killed_drain CORPUS NODE CALLS``: tell a follower, and die on the way.

The process kills itself at that call of a function, wherever it is; with 0 it lives and prints how
many calls there were. Batches are small, so that there are many places to die between.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from podcast_scraper.search.following import Follower
from podcast_scraper.search.search_node import NodeEngines, search_node
from podcast_scraper.settings import load_settings, location_of


def main() -> None:
    corpus, directory, deadly = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    location = location_of(corpus, None, load_settings(corpus))
    live = location.current()
    engine = location.store.open_records(live.path, read_only=False)
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    manifest = live.manifest
    with search_node(directory, manifest.generation, manifest.dimension) as backend:
        Follower(engine, NodeEngines(backend), "node", batch=2).catch_up()
    sys.setprofile(None)
    print(calls)


if __name__ == "__main__":
    main()
