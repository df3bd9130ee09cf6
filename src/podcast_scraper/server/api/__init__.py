"""``/api``: one blueprint a concern; :mod:`.schemas` and :mod:`.document` describe them."""

from podcast_scraper.server.api import (
    context,
    entities,
    episodes,
    graph,
    health,
    relational,
    saved,
    search,
)

BLUEPRINTS = tuple(
    module.create_blueprint
    for module in (search, context, episodes, entities, relational, graph, saved, health)
)
