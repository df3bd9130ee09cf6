"""The slug rule against hand-written values and its laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.identity.slugify import slugify


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Ada Lovelace", "ada-lovelace"),
        ("  José   Núñez ", "jose-nunez"),
        ("snake_case and-hyphen", "snake-case-and-hyphen"),
        ("O'Reilly & Sons, Inc.", "oreilly-sons-inc"),
        ("--A--B--", "a-b"),
        ("ﬁnance", "finance"),
        ("C++", "c"),
    ],
)
def test_values(name: str, slug: str) -> None:
    assert slugify(name) == slug


def test_names_without_ascii_stay_apart_and_stable() -> None:
    assert slugify("王伟") == slugify("王伟") != slugify("李伟")
    assert slugify("é" * 0 + "🎙") != ""


@given(st.text())
def test_laws(name: str) -> None:
    slug = slugify(name)
    assert slug
    assert slugify(slug) == slug
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert "--" not in slug
