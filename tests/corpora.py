"""Small corpora that tests make, and the sample corpus indexed once a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "data" / "sample"


def write_episode(
    corpus: Path,
    stem: str,
    *,
    insights: dict[str, str],
    speaker: str = "Ada Byron",
    show: str = "engines",
    date: str = "2024-05-01",
    text: str | None = None,
) -> None:
    """Write the GI and KG of one episode: insight id → text, each grounded in itself as a quote."""
    episode = f"episode:{stem}"
    person = "person:" + speaker.lower().replace(" ", "-")
    words = text if text is not None else " ".join(insights.values())
    nodes: list[dict[str, Any]] = [
        {
            "id": episode,
            "type": "Episode",
            "properties": {"title": f"Episode {stem}", "podcast_id": show, "publish_date": date},
        },
        {"id": person, "type": "Person", "properties": {"name": speaker}},
        {"id": "topic:engines", "type": "Topic", "properties": {"label": "engines"}},
    ]
    edges: list[dict[str, Any]] = []
    for number, (insight, statement) in enumerate(insights.items()):
        quote = f"quote:{stem}-{number}"
        start = max(0, words.find(statement))
        nodes += [
            {
                "id": insight,
                "type": "Insight",
                "properties": {
                    "text": statement,
                    "episode_id": stem,
                    "grounded": True,
                    "insight_type": "claim",
                },
            },
            {
                "id": quote,
                "type": "Quote",
                "properties": {
                    "text": statement,
                    "episode_id": stem,
                    "char_start": start,
                    "char_end": start + len(statement),
                    "timestamp_start_ms": 1000 * number,
                    "timestamp_end_ms": 1000 * number + 900,
                },
            },
        ]
        edges += [
            {"type": "HAS_INSIGHT", "from": episode, "to": insight},
            {"type": "SUPPORTED_BY", "from": insight, "to": quote},
            {"type": "SPOKEN_BY", "from": quote, "to": person},
            {"type": "ABOUT", "from": insight, "to": "topic:engines"},
        ]
    gi = {"schema_version": "3.1", "episode_id": stem, "nodes": nodes, "edges": edges}
    kg = {
        "schema_version": "2.0",
        "episode_id": stem,
        "nodes": nodes[:3],
        "edges": [{"type": "MENTIONS", "from": episode, "to": "topic:engines"}],
    }
    folder = corpus / "feeds" / show / "metadata"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.gi.json").write_text(json.dumps(gi), encoding="utf-8")
    (folder / f"{stem}.kg.json").write_text(json.dumps(kg), encoding="utf-8")
    (folder / f"{stem}.txt").write_text(words, encoding="utf-8")
