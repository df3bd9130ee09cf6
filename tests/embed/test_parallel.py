from __future__ import annotations

import pytest

from podcast_scraper.embed.parallel import indexed_map


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_order_and_progress_adds_up(threads: int) -> None:
    done: list[int] = []
    assert list(indexed_map(lambda i: i * i, 100, threads, done.append)) == [
        i * i for i in range(100)
    ]
    assert sum(done) == 100
    assert len(done) > 1
