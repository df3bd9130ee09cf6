"""The application over the sample corpus, asked through Flask's client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.server.app import create_app

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from podcast_scraper.corpus import Corpus


@pytest.fixture(scope="module")
def app(sample: Corpus) -> Flask:
    return create_app(sample)


@pytest.fixture(scope="module")
def client(app: Flask) -> FlaskClient:
    return app.test_client()
