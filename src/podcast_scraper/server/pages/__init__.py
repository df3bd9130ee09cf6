"""The pages: one blueprint a concern. Complete without JavaScript; the state is in the URL."""

from podcast_scraper.server.pages import entities, episode, graph, health, review, saved, search

BLUEPRINTS = tuple(
    module.create_blueprint for module in (search, episode, entities, review, graph, saved, health)
)
