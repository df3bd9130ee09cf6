"""``python -m tests.search.killed_drain CORPUS NODE CALLS``: tell a follower, and die on the way.

NODE is a directory, or ``server`` for the search server that the settings name.

The process kills itself at that call of a function, wherever it is; with 0 it lives and prints how
many calls there were. Batches are small, so that there are many places to die between.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from podcast_scraper.search.backends.opening import follower_at
from podcast_scraper.search.following import Follower
from podcast_scraper.search.search_node import NodeEngines, search_node
from podcast_scraper.settings import load_settings, location_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import sqlalchemy as sa

    from podcast_scraper.storage.generations import Generation


@contextlib.contextmanager
def followed(directory: str, live: Generation, engine: sa.Engine) -> Iterator[Follower]:
    if directory == "server":
        url = load_settings(None).search
        assert url is not None
        with follower_at(url, engine) as follower:
            follower._batch = 2
            yield follower
        return
    manifest = live.manifest
    with search_node(Path(directory), manifest.generation, manifest.dimension) as backend:
        yield Follower(engine, NodeEngines(backend), "node", batch=2)


def main() -> None:
    corpus, directory, deadly = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
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
    with followed(directory, live, engine) as follower:
        follower.catch_up()
    sys.setprofile(None)
    print(calls)


if __name__ == "__main__":
    main()
