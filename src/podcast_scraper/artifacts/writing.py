"""An :class:`EpisodeRecord` to its files: reading them back gives an equal record."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from podcast_scraper.artifacts.serialising import file_id, to_json, write_if_changed
from podcast_scraper.errors import UsageError
from podcast_scraper.gi.writer import gi_document
from podcast_scraper.identity.slugify import slugify
from podcast_scraper.kg.writer import kg_document

if TYPE_CHECKING:
    from podcast_scraper.artifacts.records import EpisodeRecord, Node, Segment


def write_episode(
    corpus_dir: Path, record: EpisodeRecord, *, model_version: str, prompt_version: str = "n/a"
) -> tuple[Path, ...]:
    """Write all files of an episode at its ``stem_path`` and return those that changed.

    Under a ``metadata`` folder the transcript goes to the ``transcripts`` folder beside it, else
    all files lie together. Derived nodes and edges are not written, for reading derives them again.
    What is read back is equal but for the fingerprint where the record is in the form that reading
    gives (lists in properties, nodes and edges sorted, every node with its ``layers``), and where
    the corpus has its media file.

    Raises:
        UsageError: the stem path leads out of the corpus.
    """
    stem = PurePosixPath(record.stem_path)
    if stem.is_absolute() or ".." in stem.parts or not stem.name:
        raise UsageError(
            f"An episode cannot be written to {record.stem_path!r}.",
            mend="A stem path is relative to the corpus and stays in it.",
            subject=record.stem_path,
        )
    folder = Path(corpus_dir, *stem.parts[:-1])
    split = stem.parent.name == "metadata"
    transcripts = folder.parent / "transcripts" if split else folder
    text_name = f"{'transcripts/' if split else ''}{stem.name}.txt"
    files = {folder / f"{stem.name}.metadata.json": to_json(_metadata(record, text_name))}
    for layer, document in _layers(record, text_name, model_version, prompt_version).items():
        files[folder / f"{stem.name}.{layer}.json"] = to_json(document)
    identities = _identities(record)
    if identities:
        bridge = {"schema_version": "1", "episode_id": record.episode_id, "identities": identities}
        files[folder / f"{stem.name}.bridge.json"] = to_json(bridge)
    if record.transcript.segments:
        segments = [_segment(segment) for segment in record.transcript.segments]
        files[transcripts / f"{stem.name}.segments.json"] = to_json(segments)
    if record.transcript.text:
        files[transcripts / f"{stem.name}.txt"] = record.transcript.text
    return tuple(path for path, content in files.items() if write_if_changed(path, content))


def _layers(
    record: EpisodeRecord, text_name: str, model_version: str, prompt_version: str
) -> dict[str, dict[str, Any]]:
    """Return the documents of the layers that the record has something of."""
    held = {layer for node in record.nodes for layer in node.layers}
    held |= {edge.layer for edge in record.edges}
    documents = {}
    if "gi" in held:
        documents["gi"] = gi_document(
            record.episode_id,
            [node for node in record.nodes if "gi" in node.layers],
            [edge for edge in record.edges if edge.layer == "gi"],
            model_version=model_version,
            prompt_version=prompt_version,
        )
    if "kg" in held:
        documents["kg"] = kg_document(
            record.episode_id,
            [node for node in record.nodes if "kg" in node.layers],
            [edge for edge in record.edges if edge.layer == "kg"],
            model_version=model_version,
            transcript_ref=text_name if record.transcript.text else None,
        )
    return documents


def _present(**values: object) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, [], (), "")}


def _metadata(record: EpisodeRecord, text_name: str) -> dict[str, Any]:
    show = record.show
    image = show.image or ""
    remote = image.startswith(("http://", "https://"))
    return {
        "schema_version": "1",
        "feed": _present(
            feed_id=show.id.removeprefix("podcast:"),
            other_ids=[other.removeprefix("podcast:") for other in show.other_ids],
            title=show.title,
            description=show.description,
            url=show.url,
            publisher=show.publisher,
            image_url=image if remote else None,
            image_local_relpath=None if remote else image,
        ),
        "episode": _present(
            episode_id=record.episode_id,
            title=record.title,
            published_date=record.published.isoformat() if record.published else None,
            duration_seconds=record.duration,
            language=record.language,
        ),
        "content": _present(
            media_url=record.media,
            speakers=_speakers(record),
            transcript_file_path=text_name if record.transcript.text else None,
            times_may_drift=record.times_may_drift or None,
        ),
        "summary": _present(
            title=record.summary_title,
            bullets=list(record.summary_bullets),
            raw_text=record.summary_text,
        ),
    }


def _speakers(record: EpisodeRecord) -> list[dict[str, Any]]:
    """List the people with a role, and those whose label is an id of the file (``speaker_1``)."""
    people = {node.id: node for node in record.nodes if node.type == "person"}
    candidates = {(alias.entity_id, alias.name) for alias in record.aliases}
    labels: dict[str, str] = {}
    for segment in record.transcript.segments:
        label, person = segment.speaker_label, segment.speaker_id
        if label is not None and person in people and person is not None:
            known = {slugify(name) for name in _names(people[person])}
            if slugify(label) not in known and (person, label) not in candidates:
                labels[label] = person
    owners = [(label, person) for label, person in sorted(labels.items())]
    owners += [
        (file_id(person), person)
        for person, node in sorted(people.items())
        if node.properties.get("role") and person not in labels.values()
    ]
    return [
        _present(
            id=label,
            name=_names(people[person])[0],
            role=people[person].properties.get("role"),
        )
        for label, person in owners
    ]


def _names(node: Node) -> list[str]:
    key = "label" if node.type == "topic" else "name"
    return [str(node.properties.get(key) or node.id), *node.properties.get("aliases", ())]


def _identities(record: EpisodeRecord) -> list[dict[str, Any]]:
    further: dict[str, list[str]] = {}
    for alias in record.aliases:
        if alias.origin == "bridge":
            further.setdefault(alias.entity_id, []).append(alias.name)
    return [
        _present(
            id=file_id(node.id), display_name=_names(node)[0], aliases=further.get(node.id, [])
        )
        for node in sorted(record.nodes, key=lambda node: node.id)
        if node.type in ("person", "org", "topic")
    ]


def _segment(segment: Segment) -> dict[str, Any]:
    return {
        "id": segment.ordinal,
        "text": segment.text,
        **_present(
            start=segment.start,
            end=segment.end,
            speaker_label=segment.speaker_label,
            speaker_id=file_id(segment.speaker_id) if segment.speaker_id else None,
            kind=None if segment.kind == "speech" else segment.kind,
            char_start=segment.char_start,
            char_end=segment.char_end,
        ),
    }
