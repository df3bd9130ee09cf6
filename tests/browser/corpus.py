"""A corpus that tries to break pages: markup as names, right-to-left text, 5 000 lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = "<script>window.broken = 1</script>"
IMAGE = '"><img src=x onerror="window.broken = 2">'
RTL = "שלום וברכה, מדברים על הים"
COMBINING = "Z̷̡͈̽a̶l̵g̴o̸ é ñ \u202eright to left\u202c"
LONG_NAME = "Maximiliane " + "von und zu Hohenwörth-" * 12 + "Ende"
LINES = 5_000


def write_hostile(corpus: Path) -> None:
    """Write one episode of hostile text and one of 5 000 lines."""
    _write(corpus, "hostile", f"Episode {IMAGE}", _hostile_lines(), drift=True)
    lines = [(f"Line number {n} speaks of weather and tides.", "person:ada") for n in range(LINES)]
    _write(corpus, "endless", "An endless talk", lines)


def _hostile_lines() -> list[tuple[str, str]]:
    return [
        (f"Listen to {SCRIPT} closely.", "person:ada"),
        (f"And {IMAGE} is a picture.", "person:long"),
        (RTL, "person:ada"),
        (COMBINING, "person:long"),
        ("javascript:alert(1) is not a link", "person:ada"),
    ]


def _write(
    corpus: Path, stem: str, title: str, lines: list[tuple[str, str]], *, drift: bool = False
) -> None:
    names = {"person:ada": f"Ada {SCRIPT}", "person:long": LONG_NAME}
    text = "\n".join(line for line, _ in lines)
    episode = f"episode:{stem}"
    nodes: list[dict[str, Any]] = [
        {
            "id": episode,
            "type": "Episode",
            "properties": {"title": title, "podcast_id": "hostile", "publish_date": "2024-05-01"},
        },
        *({"id": i, "type": "Person", "properties": {"name": n}} for i, n in names.items()),
        {"id": "topic:markup", "type": "Topic", "properties": {"label": f"topic {IMAGE}"}},
    ]
    edges: list[dict[str, Any]] = []
    at = 0
    for number, (line, speaker) in enumerate(lines[:5]):
        insight, quote = f"insight:{stem}-{number}", f"quote:{stem}-{number}"
        nodes += [
            {
                "id": insight,
                "type": "Insight",
                "properties": {"text": f"It was said: {line}", "episode_id": stem},
            },
            {
                "id": quote,
                "type": "Quote",
                "properties": {
                    "text": line,
                    "episode_id": stem,
                    "char_start": at,
                    "char_end": at + len(line),
                    "timestamp_start_ms": number * 3000,
                    "timestamp_end_ms": number * 3000 + 2500,
                },
            },
        ]
        edges += [
            {"type": "HAS_INSIGHT", "from": episode, "to": insight},
            {"type": "SUPPORTED_BY", "from": insight, "to": quote},
            {"type": "SPOKEN_BY", "from": quote, "to": speaker},
            {"type": "ABOUT", "from": insight, "to": "topic:markup"},
        ]
        at += len(line) + 1
    folder, texts = corpus / "feeds/hostile/metadata", corpus / "feeds/hostile/transcripts"
    folder.mkdir(parents=True, exist_ok=True)
    texts.mkdir(parents=True, exist_ok=True)
    layers = {
        "gi": {"schema_version": "3.1", "episode_id": stem, "nodes": nodes, "edges": edges},
        "kg": {"schema_version": "2.0", "episode_id": stem, "nodes": nodes[:4], "edges": []},
        "metadata": {
            "feed": {"feed_id": "hostile", "title": f"Show {IMAGE}", "description": SCRIPT},
            "episode": {"episode_id": stem, "title": title, "published_date": "2024-05-01"},
            "content": {
                "media_url": "javascript:alert(1)",
                "transcript_file_path": f"transcripts/{stem}.txt",
            },
            "summary": {"bullets": [IMAGE, RTL]},
        },
    }
    for layer, content in layers.items():
        (folder / f"{stem}.{layer}.json").write_text(json.dumps(content), encoding="utf-8")
    (texts / f"{stem}.txt").write_text(text, encoding="utf-8")
    segments = [
        {"id": n, "start": n * 3.0, "end": n * 3.0 + 2.5, "text": line, "speaker": names[speaker]}
        for n, (line, speaker) in enumerate(lines)
    ]
    (texts / f"{stem}.segments.json").write_text(json.dumps(segments), encoding="utf-8")
