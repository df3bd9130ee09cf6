"""The corpus-wide entity rows, summed up from what the episodes say of each entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from podcast_scraper.identity.canonical import is_voice
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.schema import Entity, EntityOccurrence

if TYPE_CHECKING:
    from collections.abc import Collection


def write_entities(connection: sa.Connection, only: Collection[str] | None = None) -> None:
    """Replace the entity rows, or those of the ids in ``only``, by the sum of the occurrences.

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
    gone, values = sa.delete(Entity), listed(only or ())
    if only is not None:
        statement = statement.where(among(occurrence.entity_id))
        gone = gone.where(among(Entity.id))
    names: dict[str, tuple[str, str]] = {}
    for entity_id, kind, name, _ in connection.execute(statement, values):
        names.setdefault(entity_id, (kind, name))
    descriptions = _descriptions(connection, only)
    connection.execute(gone, values)
    if names:
        connection.execute(
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


def _descriptions(connection: sa.Connection, only: Collection[str] | None) -> dict[str, str]:
    """Return the longest description that any episode gives of an entity."""
    text = EntityOccurrence.properties["description"].as_string()
    statement = (
        sa.select(EntityOccurrence.entity_id, text)
        .where(text.is_not(None))
        .order_by(EntityOccurrence.entity_id, sa.func.length(text).desc(), text)
    )
    if only is not None:
        statement = statement.where(among(EntityOccurrence.entity_id))
    found: dict[str, str] = {}
    for entity_id, description in connection.execute(statement, listed(only or ())):
        found.setdefault(entity_id, description)
    return found
