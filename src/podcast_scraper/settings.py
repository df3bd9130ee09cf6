"""``podcast-scraper.yaml``: how one corpus is to be searched, and where each value came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.config import KEYS, RescueConfig, parse_config
from podcast_scraper.search.rescue.settings import rescue_config

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE_NAME: Final = "podcast-scraper.yaml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says; an absent file says nothing. ``retrieval`` is its block of that name."""

    path: Path | None = None
    retrieval: Mapping[str, Any] = field(default_factory=dict)


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
    import yaml

    path = file if file is not None else _own(corpus)
    if path is None:
        return Settings()
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}.",
            mend="Write it anew with `podcast-scraper init`.",
            subject=path,
        ) from error
    content = {} if content is None else content
    if not isinstance(content, dict) or set(content) - {"retrieval"}:
        raise ConfigurationError(
            f"{path} holds something else than a retrieval block.",
            mend="See `podcast-scraper init`.",
            subject=path,
        )
    block = content.get("retrieval") or {}
    rescue_config(block)
    return Settings(path, block)


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
    """Write a retrieval block; the same block gives the same bytes.

    Raises ConfigurationError for a block that could not be read again.
    """
    import yaml

    rescue_config(block)
    plain = {section: dict(entries) for section, entries in block.items()}
    text = yaml.safe_dump({"retrieval": plain}, sort_keys=False, allow_unicode=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _own(corpus: Path | None) -> Path | None:
    if corpus is None:
        return None
    path = corpus / FILE_NAME
    return path if path.is_file() else None
