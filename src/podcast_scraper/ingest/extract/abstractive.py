"""Insights by a language model behind an OpenAI-compatible endpoint, grounded or not at all.

The model is asked for statements with the words that support them. A statement whose quote does
not stand verbatim in the transcript is rejected and counted; nothing else about it is trusted.
"""

from __future__ import annotations

import hashlib
import json
import urllib.request
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.records import Edge, EpisodeRecord, Node
from podcast_scraper.errors import ConfigurationError, IngestError
from podcast_scraper.identity.canonical import episode_node_id

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES: Final = ("claim", "recommendation", "observation", "question", "fact", "opinion")
WINDOW: Final = 12_000
"""Characters of transcript in one request; a longer episode takes several."""
_FEWEST_WORDS: Final = 4
_ANSWER_LIMIT: Final = 4 * 1024 * 1024
_PROMPT: Final = (
    "Below is part of a podcast transcript. List the statements in it that are worth finding: "
    "claims, recommendations, observations, questions. Answer with a JSON list of objects with the "
    'keys "text" (one sentence), "type" (claim, recommendation, observation or question) and '
    '"quote" (the words of the transcript that support it, copied exactly).\n\n'
)


@dataclass(frozen=True, slots=True)
class Grounded:
    """A statement and the place of its quote in the transcript."""

    text: str
    type: str
    start: int
    end: int


@dataclass(slots=True)
class Tally:
    """What came of the statements, and how many answers were of no use.

    ``left_out`` are statements whose words were taken already, or are not those of a speaker.
    """

    accepted: int = 0
    not_verbatim: int = 0
    left_out: int = 0
    failed_answers: int = 0


class Abstractive:
    """Asks an endpoint; :attr:`tally` counts what came of it."""

    def __init__(self, endpoint: str, model: str, seconds: float = 120.0) -> None:
        if not endpoint.startswith(("http://", "https://")):
            raise ConfigurationError(f"{endpoint!r} is no http(s) address.", subject=endpoint)
        self._url = endpoint.rstrip("/") + "/chat/completions"
        self._model = model
        self._seconds = seconds
        self.tally = Tally()

    def refine(self, record: EpisodeRecord) -> EpisodeRecord:
        """Return the record with the grounded statements of the model as further insights."""
        text = record.transcript.text
        found: dict[tuple[int, int], Grounded] = {}
        for start in range(0, len(text), WINDOW):
            for statement in self._statements(text, text[start : start + WINDOW]):
                place = (statement.start, statement.end)
                self.tally.left_out += place in found
                found.setdefault(place, statement)
        nodes, edges = list(record.nodes), list(record.edges)
        for statement in found.values():
            added = _add(record, statement, nodes, edges)
            self.tally.accepted += added
            self.tally.left_out += not added
        return replace(
            record,
            nodes=tuple(sorted(nodes, key=lambda node: node.id)),
            edges=tuple(sorted(edges, key=lambda e: (e.type, e.source, e.target, e.layer))),
        )

    def _statements(self, text: str, window: str) -> Iterator[Grounded]:
        try:
            answer = self._ask(window)
        except IngestError:
            self.tally.failed_answers += 1
            return
        for item in answer:
            statement = grounded(item, text)
            if statement is None:
                self.tally.not_verbatim += 1
            else:
                yield statement

    def _ask(self, window: str) -> list[Any]:
        body = {
            "model": self._model,
            "temperature": 0,
            "messages": [{"role": "user", "content": _PROMPT + window}],
        }
        request = urllib.request.Request(
            self._url,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as response:
                document = json.loads(response.read(_ANSWER_LIMIT))
            content = document["choices"][0]["message"]["content"]
            return listed(content)
        except (OSError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise IngestError("The endpoint's answer cannot be used.", subject=self._url) from error


def listed(content: str) -> list[Any]:
    """Return the JSON list in an answer, with or without talk and fences around it."""
    start, end = content.index("["), content.rindex("]")
    value = json.loads(content[start : end + 1])
    if not isinstance(value, list):
        raise TypeError(type(value))
    return value


def grounded(item: Any, text: str) -> Grounded | None:
    """Return a statement with its quote's place, or None where the quote is not in ``text``."""
    if not isinstance(item, dict):
        return None
    statement, quote, kind = item.get("text"), item.get("quote"), item.get("type")
    if not isinstance(statement, str) or not isinstance(quote, str) or not statement.strip():
        return None
    start = text.find(quote.strip())
    if start < 0 or len(quote.split()) < _FEWEST_WORDS:
        return None
    return Grounded(
        " ".join(statement.split()),
        kind if isinstance(kind, str) and kind in TYPES else "unknown",
        start,
        start + len(quote.strip()),
    )


def _add(record: EpisodeRecord, statement: Grounded, nodes: list[Node], edges: list[Edge]) -> bool:
    """Add an insight and its quote; False where the words are not those of a speaker."""
    name = f"{record.episode_id}\x1f{statement.start}\x1f{statement.end}\x1f{statement.text}"
    mark = hashlib.sha256(name.encode()).hexdigest()[:16]
    segment = next(
        (
            s
            for s in record.transcript.segments
            if s.char_start is not None and s.char_end is not None
            and s.char_start <= statement.start < s.char_end
        ),
        None,
    )  # fmt: skip
    if segment is None or segment.kind != "speech":
        return False
    quote: dict[str, Any] = {
        "text": record.transcript.text[statement.start : statement.end],
        "episode_id": record.episode_id,
        "char_start": statement.start,
        "char_end": statement.end,
    }
    if segment.start is not None:
        quote["start_ms"] = round(segment.start * 1000)
    if segment.end is not None:
        quote["end_ms"] = round(segment.end * 1000)
    insight = {
        "text": statement.text,
        "episode_id": record.episode_id,
        "grounded": True,
        "insight_type": statement.type,
    }
    layer = frozenset(("gi",))
    nodes.append(Node(f"insight:{mark}", "insight", insight, layer))
    nodes.append(Node(f"quote:{mark}", "quote", quote, layer))
    episode = episode_node_id(record.episode_id)
    edges.append(Edge("HAS_INSIGHT", episode, f"insight:{mark}", "gi"))
    edges.append(Edge("SUPPORTED_BY", f"insight:{mark}", f"quote:{mark}", "gi"))
    if segment.speaker_id is not None:
        edges.append(Edge("SPOKEN_BY", f"quote:{mark}", segment.speaker_id, "gi"))
    return True
