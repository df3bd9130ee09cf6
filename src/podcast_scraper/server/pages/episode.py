"""The episode page and the audio of local files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Blueprint, abort, redirect, render_template, request, send_file, url_for

from podcast_scraper.errors import UsageError
from podcast_scraper.server.parameters import integer, refuse_unknown
from podcast_scraper.server.views.ribbon import span_of
from podcast_scraper.server.views.transcript import find_in, make_part, part_of, position_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from werkzeug.wrappers import Response

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.storage.catalog import InsightInfo

MAX_FIND = 200


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the episode pages over one corpus."""
    blueprint = Blueprint("episode", __name__)
    pages = _EpisodePages(corpus)
    rule = "/episodes/<episode_id>"
    blueprint.add_url_rule(rule, "episode", pages.episode, methods=["GET"])
    blueprint.add_url_rule(f"{rule}/offset", "offset", pages.offset, methods=["POST"])
    blueprint.add_url_rule("/media/<episode_id>", "media", pages.media, methods=["GET"])
    return blueprint


class _EpisodePages:
    """The views over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def episode(self, episode_id: str) -> str | Response:
        refuse_unknown(request.args, ("t", "part", "find"))
        catalog = self._corpus.catalog
        info = catalog.episode(episode_id)
        text, segments = catalog.transcript(info.id)
        seconds = _seconds(request.args.get("t"))
        here = position_at(segments, seconds) if seconds is not None else None
        if here is not None and "part" not in request.args:
            # The line's own anchor, so that a browser without scripts scrolls to it.
            return redirect(_line_url(info.id, segments[here].ordinal, part_of(here)))
        insights = catalog.insights(info.id)
        people = {s.speaker_id for s in segments if s.speaker_id}
        people |= {q.speaker_id for i in insights for q in i.quotes if q.speaker_id}
        names = catalog.labels(people)
        find = request.args.get("find", "")[:MAX_FIND]
        matches, total = find_in(segments, find)
        number = integer(request.args, "part", 1)
        duration = info.duration or max((s.end or 0 for s in segments), default=0) or None
        return render_template(
            "episode.html",
            episode=info,
            media_url=self._corpus.media_url(info),
            offset=self._corpus.offsets.of(info.id),
            names=names,
            speakers=[(key, names[key]) for key in sorted(people) if key in names],
            part=make_part(segments, insights, names, number=number, here=here, find=find),
            text=text if not segments else "",
            seconds=seconds,
            find=find,
            matches=matches,
            matches_total=total,
            duration=duration,
            ticks=_ticks(insights, duration),
        )

    def offset(self, episode_id: str) -> Response:
        info = self._corpus.catalog.episode(episode_id)
        value = request.form.get("seconds", "")
        try:
            seconds = float(value)
        except ValueError:
            raise UsageError(f"seconds is {value!r}.", mend="Give a number.") from None
        self._corpus.offsets.set(info.id, seconds)
        return redirect(url_for(".episode", episode_id=info.id, t=request.form.get("t")), 303)

    def media(self, episode_id: str) -> Response:
        path = self._corpus.media_path(self._corpus.catalog.episode(episode_id))
        if path is None:
            abort(404, "No audio of this episode is known here.")
        return send_file(Path(path).absolute(), conditional=True)


def _line_url(episode_id: str, line: int, part: int) -> str:
    t = request.args["t"]
    return url_for(".episode", episode_id=episode_id, t=t, part=part, _anchor=f"line-{line}")


def _seconds(value: str | None) -> float | None:
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 10_000_000:
        raise UsageError(f"t is {value!r}.", mend="Give a time in seconds.", subject=value)
    return seconds


def _ticks(insights: Sequence[InsightInfo], duration: float | None) -> list[dict[str, Any]]:
    """Return the insights as places on the episode's ribbon."""
    ticks = []
    for insight in insights:
        if insight.quotes and insight.quotes[0].start_ms is not None:
            start = insight.quotes[0].start_ms / 1000
            if (span := span_of(start, None, duration)) is not None:
                ticks.append({"x": span.x, "text": insight.text, "start": start})
    return ticks
