"""The Flask application factory: pages and HTTP API over one open corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask

import podcast_scraper
from podcast_scraper.server import api, pages, relational
from podcast_scraper.server.errors import install_error_handlers
from podcast_scraper.server.filters import FILTERS
from podcast_scraper.server.security import install_security

if TYPE_CHECKING:
    from collections.abc import Collection

    from podcast_scraper.corpus import Corpus


def create_app(corpus: Corpus, *, hosts: Collection[str] = ()) -> Flask:
    """Return the application that serves one corpus.

    ``hosts`` are names besides loopback under which it may be asked for.
    """
    web = web_root()
    app = Flask(
        "podcast_scraper",
        template_folder=str(web / "templates"),
        static_folder=str(web / "static"),
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]  # answers keep the documented order
    app.jinja_env.filters.update(FILTERS)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    install_security(app, hosts)
    install_error_handlers(app)
    app.register_blueprint(api.create_blueprint(corpus))
    app.register_blueprint(relational.create_blueprint(corpus))
    app.register_blueprint(pages.create_blueprint(corpus))

    @app.context_processor
    def common() -> dict[str, object]:
        return {"version": podcast_scraper.__version__, "corpus_name": corpus.name}

    return app


def web_root() -> Path:
    """Return the folder of templates and static files: in the package, or in the checkout."""
    package = Path(__file__).parents[1]
    packed = package / "web"
    return packed if packed.is_dir() else package.parents[1] / "web"
