"""Dates and durations that real feeds hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.ingest.feeds.dates import date_oddity, parse_date, parse_duration


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Fri, 2 May 2014 10:10 GMT", "2014-05-02T10:10:00+00:00"),
        ("Fri, 02 May 2014 10:10:11 PST", "2014-05-02T18:10:11+00:00"),
        ("Fri, 02 May 2014 10:10:11 CET", "2014-05-02T09:10:11+00:00"),
        ("Fri May 02 2014 10:10:11 GMT-0400 (EDT)", "2014-05-02T14:10:11+00:00"),
        ("Fri, 02 May 2014 10:10:11 +03:00", "2014-05-02T07:10:11+00:00"),
        ("Fri, 02 May 2014 10:10:11 +0530", "2014-05-02T04:40:11+00:00"),
        ("2014-05-02T10:10:11Z", "2014-05-02T10:10:11+00:00"),
        ("2014-05-02T10:10:11-04:00", "2014-05-02T14:10:11+00:00"),
        ("2014-05-02", "2014-05-02T00:00:00+00:00"),
        ("2 May 2014", "2014-05-02T00:00:00+00:00"),
        ("Fri, 02 May 14 10:10:11 GMT", "2014-05-02T10:10:11+00:00"),
        ("Tue, 01 Jul 1969 00:00:00 GMT", "1969-07-01T00:00:00+00:00"),
        ("Mon, 01 Jan 0001 00:00:00 GMT", "0001-01-01T00:00:00+00:00"),
        ("May 2, 2014 3:05 PM", "2014-05-02T15:05:00+00:00"),
        ("Fri, 02 May 2014 10:10:60 GMT", "2014-05-02T10:10:59+00:00"),
        ("Fri, 02 May 2014 10:10:11 XYZT", "2014-05-02T10:10:11+00:00"),
        ("", None),
        (None, None),
        ("soon", None),
        ("Fri, 32 May 2014 10:10 GMT", None),
        ("Fri, 2 Mai 2014", None),
        ("Fri, 02 May 2014 25:99:00 GMT", None),
        ("01 Jan 0001 00:00:00 +1400", None),
    ],
)
def test_dates(text: str | None, iso: str | None) -> None:
    found = parse_date(text)
    assert (found.isoformat() if found else None) == iso


@pytest.mark.parametrize(
    ("text", "oddity"),
    [
        (None, None),
        ("Fri, 2 May 2014 10:10 GMT", None),
        ("Fri, 02 May 2014 10:10:11 +0530", None),
        ("2014-05-02T10:10:11-04:00", None),
        ("soon", ("dropped", "date that cannot be read")),
        ("Fri, 32 May 2014 10:10 GMT", ("dropped", "date that cannot be read")),
        ("Mon, 01 Jan 0001 00:00:00 GMT", ("guessed", "date before 1970, kept as stated")),
        ("Thu, 01 Jan 1970 00:00:00 GMT", ("guessed", "date before 1970, kept as stated")),
        ("Fri, 02 May 2014 10:10:11 XYZT", ("guessed", "date with an unknown zone, read as UTC")),
        ("2014-05-02", ("guessed", "date without a zone, read as UTC")),
        ("Fri May 02 2014 10:10:11 GMT-0400 (EDT)", ("fixed", "date in no standard form")),
    ],
)
def test_odd_dates_are_accounted_for(text: str | None, oddity: tuple[str, str] | None) -> None:
    assert date_oddity(text) == oddity


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2238", 2238.0),
        ("22:38", 1358.0),
        ("1:02:03", 3723.0),
        ("1:02:03.5", 3723.5),
        (" 00:22:38 ", 1358.0),
        ("90:00", 5400.0),
        ("0", None),
        ("0:00", None),
        ("", None),
        (None, None),
        ("1:2:3:4", None),
        ("about an hour", None),
        ("-5", None),
        ("1e9", None),
    ],
)
def test_durations(text: str | None, seconds: float | None) -> None:
    assert parse_duration(text) == seconds


@given(st.text(max_size=60))
def test_any_text_is_a_date_or_none(text: str) -> None:
    parse_date(text)
    parse_duration(text)
