"""The corpus-wide entity rows, summed up from what the episodes say of each entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from podcast_scraper.identity.canonical import is_voice
from podcast_scraper.storage.schema import Entity, EntityOccurrence

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def write_entities(session: Session) -> None:
    """Replace the entity rows by the sum of the occurrences.

    An entity's name is the one that most episodes use; of equally frequent ones the longest, then
    the alphabetically first, so that the same corpus gives the same names.
    """
    occurrence = EntityOccurrence
    count = sa.func.count()
    statement = (
        sa.select(occurrence.entity_id, occurrence.type, occurrence.name, count)
        .group_by(occurrence.entity_id, occurrence.type, occurrence.name)
        .order_by(
            occurrence.entity_id,
            count.desc(),
            sa.func.length(occurrence.name).desc(),
            occurrence.name,
            occurrence.type,
        )
    )
    names: dict[str, tuple[str, str]] = {}
    for entity_id, kind, name, _ in session.execute(statement):
        names.setdefault(entity_id, (kind, name))
    descriptions = _descriptions(session)
    session.execute(sa.delete(Entity))
    if names:
        session.execute(
            sa.insert(Entity),
            [
                {
                    "id": entity_id,
                    "type": kind,
                    "name": name,
                    "description": descriptions.get(entity_id),
                    "voice": is_voice(entity_id),
                }
                for entity_id, (kind, name) in names.items()
            ],
        )


def _descriptions(session: Session) -> dict[str, str]:
    """Return the longest description that any episode gives of an entity."""
    text = EntityOccurrence.properties["description"].as_string()
    statement = (
        sa.select(EntityOccurrence.entity_id, text)
        .where(text.is_not(None))
        .order_by(EntityOccurrence.entity_id, sa.func.length(text).desc(), text)
    )
    found: dict[str, str] = {}
    for entity_id, description in session.execute(statement):
        found.setdefault(entity_id, description)
    return found
