"""``podcast-scraper.yaml``: how one corpus is to be searched, and where each value came from.

``retrieval`` is the block of graph rescue, ``store`` the URL of a database for the records
(:mod:`podcast_scraper.storage.store`), ``search`` that of a search server
(:mod:`podcast_scraper.search.backends.opening`). The environment's ``PODCAST_SCRAPER_STORE`` and
``PODCAST_SCRAPER_SEARCH`` override the two.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.config import KEYS, RescueConfig, parse_config
from podcast_scraper.search.rescue.settings import rescue_config
from podcast_scraper.storage.generations import IndexLocation
from podcast_scraper.storage.store import store_at

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE_NAME: Final = "podcast-scraper.yaml"
STORE_VARIABLE: Final = "PODCAST_SCRAPER_STORE"
SEARCH_VARIABLE: Final = "PODCAST_SCRAPER_SEARCH"

_URLS: Final = {"store": STORE_VARIABLE, "search": SEARCH_VARIABLE}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says; an absent file says nothing. ``retrieval`` is its block of that name."""

    path: Path | None = None
    retrieval: Mapping[str, Any] = field(default_factory=dict)
    store: str | None = None
    search: str | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """One value in force and its origin: ``flag``, ``file``, ``calibrated`` or ``default``."""

    key: str
    value: Any
    origin: str


def load_settings(corpus: Path | None, file: Path | None = None) -> Settings:
    """Read ``file``, or the corpus' own settings where there are any.

    Raises ConfigurationError for a file that cannot be read, an unknown key or a wrong value.
    """
    path = file if file is not None else _own(corpus)
    content = {} if path is None else _content(path)
    block = content.get("retrieval") or {}
    rescue_config(block)
    store, search = (os.environ.get(_URLS[name]) or content.get(name) for name in _URLS)
    return Settings(path, block, store, search)


def _content(path: Path) -> dict[str, Any]:
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}.",
            mend="Write it anew with `podcast-scraper init`.",
            subject=path,
        ) from error
    content = {} if content is None else content
    if not isinstance(content, dict) or set(content) - {"retrieval", *_URLS}:
        raise ConfigurationError(
            f"{path} holds something else than a retrieval block, a store and a search server.",
            mend="See `podcast-scraper init`.",
            subject=path,
        )
    for name in _URLS:
        if not isinstance(content.get(name), str | None):
            raise ConfigurationError(
                f"{name} in {path} is no URL.", mend="Write it as text.", subject=name
            )
    return content


def location_of(corpus: Path, index_dir: Path | None, settings: Settings) -> IndexLocation:
    """Return where the index of a corpus is, with its records where the settings say.

    Raises ConfigurationError for a store that is none or whose driver is missing.
    """
    return IndexLocation.of(corpus, index_dir, store_at(settings.store))


def resolve(
    settings: Settings,
    *,
    calibrated: Mapping[str, Any] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> list[Resolved]:
    """Return every key of graph rescue with its value: flag, file, calibrated value, default."""
    layers = (
        ("flag", flags or {}),
        ("file", rescue_config(settings.retrieval)),
        ("calibrated", calibrated or {}),
    )
    chosen: dict[str, tuple[Any, str]] = {}
    for origin, values in layers:
        for key, value in values.items():
            chosen.setdefault(key, (value, origin))
    config = parse_config({key: value for key, (value, _) in chosen.items()})
    return [
        Resolved(
            key,
            config.effective_budget if key == "budget" else getattr(config, key),
            chosen[key][1] if key in chosen else "default",
        )
        for key in KEYS
    ]


def config_of(resolved: list[Resolved]) -> RescueConfig:
    """Return the configuration in force."""
    return parse_config({one.key: one.value for one in resolved})


def write_settings(path: Path, block: Mapping[str, Mapping[str, Any]]) -> None:
    """Write a retrieval block, and keep the servers that the file names.

    The same block gives the same bytes. Raises ConfigurationError for a block that could not be
    read again.
    """
    import yaml

    rescue_config(block)
    content: dict[str, Any] = {}
    with contextlib.suppress(ConfigurationError):  # what cannot be read names none
        if path.is_file():
            named = _content(path)
            content.update({name: named[name] for name in _URLS if named.get(name)})
    content["retrieval"] = {section: dict(entries) for section, entries in block.items()}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _own(corpus: Path | None) -> Path | None:
    if corpus is None:
        return None
    path = corpus / FILE_NAME
    return path if path.is_file() else None
