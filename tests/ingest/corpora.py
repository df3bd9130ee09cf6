"""Small shows of Markdown episodes that the import tests share."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = "capitals-and-stop-words-1"

BEES = """\
**Ada Byron:** Welcome to the bee hour, I am Ada Byron.

**Bob Lee:** \\[00:10\\] You should always inspect the hives for varroa mites before \
the first frost. Varroa mites kill more colonies than cold winters, because mites carry viruses.

**Ada Byron:** \\[01:00\\] Honey stored in sealed combs is more stable than honey kept in open \
jars. We spoke with Margaret Hamilton at Microsoft about sealed combs, and sealed combs it is.

**Bob Lee:** \\[01:30\\] This hour is brought to you by Hivebox. Use the code BEES for 20% off.
"""


def show(folder: Path, episodes: int = 3) -> Path:
    """Write a show of distinct episodes and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, episodes + 1):
        (folder / f"bees-{number}.md").write_text(
            BEES.replace("first frost", f"frost of year {number}")
        )
    return folder


def digests(corpus: Path) -> dict[str, str]:
    """Return the SHA-256 of every artifact by its path."""
    return {
        str(file.relative_to(corpus)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(corpus.rglob("*"))
        if file.is_file() and ".import" not in file.parts
    }
