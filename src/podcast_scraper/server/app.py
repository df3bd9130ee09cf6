"""The Flask application factory: pages and HTTP API over one open corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask

import podcast_scraper
from podcast_scraper.server import api, pages
from podcast_scraper.server.access import install_access
from podcast_scraper.server.conditional import install_conditional
from podcast_scraper.server.errors import install_error_handlers
from podcast_scraper.server.filters import FILTERS
from podcast_scraper.server.json_answers import FastJSONProvider
from podcast_scraper.server.limits import DEFAULT_LIMIT, install_limits
from podcast_scraper.server.security import install_security
from podcast_scraper.server.writes import install_write_protection

if TYPE_CHECKING:
    from collections.abc import Collection

    from podcast_scraper.corpus import Corpus

_NAVIGATION = (
    ("entities.people", "People"),
    ("entities.topics", "Topics"),
    ("entities.organisations", "Organisations"),
    ("entities.shows", "Shows"),
    ("graph.index", "Graph"),
    ("saved.index", "Saved"),
    ("health.index", "Index"),
)


def create_app(
    corpus: Corpus,
    *,
    hosts: Collection[str] = (),
    token: str | None = None,
    limit: str = DEFAULT_LIMIT,
) -> Flask:
    """Return the application that serves one corpus.

    ``hosts`` are names besides loopback under which it may be asked for; ``token`` is asked of
    every request where it is given; ``limit`` is how often one address may ask (Flask-Limiter's
    notation).
    """
    web = web_root()
    app = Flask(
        "podcast_scraper",
        template_folder=str(web / "templates"),
        static_folder=str(web / "static"),
    )
    app.json = FastJSONProvider(app)
    app.jinja_env.filters.update(FILTERS)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    install_security(app, hosts)
    if token is not None:
        install_access(app, token)
    install_limits(app, limit)
    install_write_protection(app)
    install_conditional(app, corpus)
    install_error_handlers(app)
    for create_blueprint in (*api.BLUEPRINTS, *pages.BLUEPRINTS):
        app.register_blueprint(create_blueprint(corpus))
    vendor = (web / "static" / "vendor" / "fonts.css").is_file()

    @app.context_processor
    def common() -> dict[str, object]:
        return {
            "version": podcast_scraper.__version__,
            "corpus_name": corpus.name,
            "vendor": vendor,
            "navigation": _NAVIGATION,
        }

    return app


def web_root() -> Path:
    """Return the folder of templates and static files: in the package, or in the checkout."""
    package = Path(__file__).parents[1]
    packed = package / "web"
    return packed if packed.is_dir() else package.parents[1] / "web"
