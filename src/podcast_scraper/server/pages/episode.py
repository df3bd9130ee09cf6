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

    @blueprint.get("/episodes/<episode_id>")
    def episode(episode_id: str) -> str | Response:
        refuse_unknown(request.args, ("t", "part", "find"))
        info = corpus.catalog.episode(episode_id)
        text, segments = corpus.catalog.transcript(info.id)
        seconds = _seconds(request.args.get("t"))
        here = position_at(segments, seconds) if seconds is not None else None
        if here is not None and "part" not in request.args:
            # The line's own anchor, so that a browser without scripts scrolls to it.
            return redirect(
                url_for(
                    ".episode",
                    episode_id=info.id,
                    t=request.args["t"],
                    part=part_of(here),
                    _anchor=f"line-{segments[here].ordinal}",
                )
            )
        insights = corpus.catalog.insights(info.id)
        people = {s.speaker_id for s in segments if s.speaker_id}
        people |= {q.speaker_id for i in insights for q in i.quotes if q.speaker_id}
        names = corpus.catalog.labels(people)
        find = request.args.get("find", "")[:MAX_FIND]
        matches, total = find_in(segments, find)
        part = make_part(
            segments,
            insights,
            names,
            number=integer(request.args, "part", 1),
            here=here,
            find=find,
        )
        duration = info.duration or max((s.end or 0 for s in segments), default=0) or None
        return render_template(
            "episode.html",
            episode=info,
            media_url=corpus.media_url(info),
            offset=corpus.offsets.of(info.id),
            names=names,
            speakers=[(key, names[key]) for key in sorted(people) if key in names],
            part=part,
            text=text if not segments else "",
            seconds=seconds,
            find=find,
            matches=matches,
            matches_total=total,
            duration=duration,
            ticks=_ticks(insights, duration),
        )

    @blueprint.post("/episodes/<episode_id>/offset")
    def offset(episode_id: str) -> Response:
        info = corpus.catalog.episode(episode_id)
        value = request.form.get("seconds", "")
        try:
            seconds = float(value)
        except ValueError:
            raise UsageError(f"seconds is {value!r}.", mend="Give a number.") from None
        corpus.offsets.set(info.id, seconds)
        return redirect(url_for(".episode", episode_id=info.id, t=request.form.get("t")), 303)

    @blueprint.get("/media/<episode_id>")
    def media(episode_id: str) -> Response:
        path = corpus.media_path(corpus.catalog.episode(episode_id))
        if path is None:
            abort(404, "No audio of this episode is known here.")
        return send_file(Path(path).absolute(), conditional=True)

    return blueprint


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
