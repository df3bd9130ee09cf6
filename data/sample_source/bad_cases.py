"""The table of bad files: what is wrong in each and what a reader has to do with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data.sample_source.bad_parts import adding, edge, node, setting, text, without

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = "feeds/broken"
_FILES = {
    "gi": "metadata/{}.gi.json",
    "kg": "metadata/{}.kg.json",
    "metadata": "metadata/{}.metadata.json",
    "segments": "transcripts/{}.segments.json",
    "text": "transcripts/{}.txt",
}
ALL = ("gi", "kg", "metadata", "segments")


@dataclass(frozen=True, slots=True)
class Case:
    """One episode: the layer that is wrong, how it becomes so, and what reading has to do.

    ``spoil`` takes the good layer and returns the bad one, or the bytes of its file. ``only`` names
    the layers that are written at all.
    """

    stem: str
    layer: str
    wrong: str
    outcome: str
    spoil: Callable[[Any], Any]
    kept: bool = True
    only: tuple[str, ...] = ALL

    @property
    def file(self) -> str:
        """The path of the file that is wrong, relative to the corpus."""
        return self.path(self.layer)

    def path(self, layer: str) -> str:
        """Return the path of a layer's file, relative to the corpus."""
        return f"{FOLDER}/{_FILES[layer].format(self.stem)}"


def _good(layer: Any) -> Any:
    return layer


_DATE = ("nodes", 0, "properties", "publish_date")
_QUOTE = ("nodes", 2, "properties")

CASES = (
    Case("good-episode", "gi", "nothing", "read", _good),
    Case("good-without-kg", "gi", "nothing; it has no KG", "read", _good, only=("gi", "segments")),
    Case("good-kg-only", "kg", "nothing; there is only the KG", "read", _good, only=("kg",)),
    Case(
        "byte-order-mark",
        "gi",
        "begins with a byte order mark",
        "read",
        lambda gi: b"\xef\xbb\xbf" + text(gi).encode(),
    ),
    Case(
        "newer-minor",
        "gi",
        "schema version 3.9, a minor one that is not known",
        "warned",
        setting("schema_version", value="3.9"),
    ),
    Case(
        "no-envelope",
        "gi",
        "no schema version and no episode id",
        "warned",
        lambda gi: {"nodes": gi["nodes"], "edges": gi["edges"]},
    ),
    Case(
        "unknown-types",
        "gi",
        "a node and an edge of types that nobody knows",
        "read",
        lambda gi: adding("edges", edge("WHISPERS", "mood:grey", "topic:ferries"))(
            adding("nodes", node("mood:grey", "Mood", label="grey"))(gi)
        ),
    ),
    Case(
        "truncated",
        "gi",
        "cut off in the middle",
        "quarantined",
        lambda gi: text(gi).encode()[:700],
    ),
    Case("empty-file", "gi", "has no bytes", "quarantined", lambda _: b""),
    Case("not-an-object", "gi", "a list and no object", "quarantined", lambda gi: [gi]),
    Case(
        "not-json",
        "kg",
        "an error page in HTML",
        "quarantined",
        lambda _: b"<html><body>502 Bad Gateway</body></html>\n",
    ),
    Case(
        "wrong-encoding",
        "gi",
        "Latin-1 and not UTF-8",
        "quarantined",
        lambda gi: text(setting("nodes", 3, "properties", "name", value="Ana Piké")(gi)).encode(
            "latin-1"
        ),
    ),
    Case(
        "unknown-major",
        "gi",
        "schema version 9.0",
        "quarantined",
        setting("schema_version", value="9.0"),
    ),
    Case(
        "nesting-bomb",
        "kg",
        "fifty thousand brackets deep",
        "quarantined",
        lambda _: b"[" * 50_000 + b"]" * 50_000,
    ),
    Case(
        "segments-no-list",
        "segments",
        "a string where the list should be",
        "quarantined",
        lambda _: "all of it",
    ),
    Case(
        "alone-and-broken",
        "gi",
        "the only file of its episode, and cut off",
        "quarantined",
        lambda gi: text(gi).encode()[:300],
        kept=False,
        only=("gi",),
    ),
    Case(
        "edge-to-nowhere",
        "gi",
        "an edge to a node that is in no layer",
        "dropped",
        adding("edges", edge("ABOUT", "insight:edge-to-nowhere", "topic:nowhere")),
    ),
    Case(
        "node-without-id",
        "gi",
        "a topic without an id",
        "dropped",
        adding("nodes", {"type": "Topic", "properties": {"label": "tides"}}),
    ),
    Case(
        "self-loop",
        "kg",
        "an edge from a person to herself",
        "dropped",
        adding("edges", edge("RELATED_TO", "person:ana-pike", "person:ana-pike")),
    ),
    Case(
        "duplicate-id",
        "gi",
        "the same person twice, with two descriptions",
        "repaired",
        adding("nodes", node("person:ana-pike", "Person", name="Ana Pike", description="Pilot.")),
    ),
    Case(
        "bad-date",
        "gi",
        "published `last Tuesday`, and no other file has a date",
        "repaired",
        setting(*_DATE, value="last Tuesday"),
        only=("gi", "segments"),
    ),
    Case(
        "naive-date",
        "gi",
        "a date without a time zone",
        "repaired",
        setting(*_DATE, value="2024-05-01T06:00:00"),
        only=("gi", "segments"),
    ),
    Case(
        "future-date",
        "gi",
        "published in the year 2999",
        "warned",
        setting(*_DATE, value="2999-01-01T00:00:00Z"),
        only=("gi", "segments"),
    ),
    Case(
        "negative-time",
        "gi",
        "a quote that starts before the beginning",
        "repaired",
        setting(*_QUOTE, "timestamp_start_ms", value=-4000),
    ),
    Case(
        "end-before-start",
        "gi",
        "a quote that ends before it starts",
        "repaired",
        setting(*_QUOTE, "timestamp_end_ms", value=-1),
    ),
    Case(
        "beyond-the-end",
        "gi",
        "a quote that ends an hour after the episode",
        "repaired",
        setting(*_QUOTE, "timestamp_end_ms", value=3_600_000),
    ),
    Case(
        "wrong-offsets",
        "gi",
        "offsets of other words; the quote is in the text",
        "read",
        setting(*_QUOTE, "char_start", value=30),
    ),
    Case(
        "falsely-grounded",
        "gi",
        "says that it is grounded and has no quote",
        "repaired",
        without("edges", 1),
    ),
    Case(
        "falsely-ungrounded",
        "gi",
        "says that it is not grounded and has a quote",
        "repaired",
        setting("nodes", 1, "properties", "grounded", value=False),
    ),
    Case(
        "media-outside",
        "metadata",
        "media and transcript outside the corpus",
        "warned",
        setting(
            "content",
            value={
                "media_url": "../../../../etc/passwd",
                "transcript_file_path": "../../../../etc/hosts",
            },
        ),
    ),
)
