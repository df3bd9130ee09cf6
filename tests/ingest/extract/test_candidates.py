"""Spans of sentences as insights: what leads, what follows, and which are taken."""

from __future__ import annotations

from podcast_scraper.ingest.extract.annotate import Annotation, Mention, Phrase
from podcast_scraper.ingest.extract.candidates import Candidate, Sentence, candidates, spans
from podcast_scraper.ingest.extract.games import is_game
from podcast_scraper.ingest.extract.insights import judge
from podcast_scraper.ingest.extract.select import choose_insights

LEAD = "Sealed combs are more stable than open jars, because the air stays outside."
LEANING = "That's why honey from them keeps for years."
ASIDE = "Welcome to the show, everybody."


def test_what_points_back_is_quoted_with_what_leads_it() -> None:
    assert judge(LEANING) is None
    assert judge(LEANING, led=True) is not None
    found = [(first, last) for first, last, _ in spans([LEAD, LEANING], [True, True])]
    assert found == [(0, 0), (0, 1)]


def test_a_span_ends_before_what_is_refused_or_left_out() -> None:
    assert [s[:2] for s in spans([LEAD, ASIDE, LEANING], [True] * 3)] == [(0, 0)]
    assert [s[:2] for s in spans([LEAD, LEANING], [True, False])] == [(0, 0)]
    assert not list(spans([LEANING, LEANING], [True, True]))


def test_a_span_is_verbatim_and_holds_the_phrases_of_its_sentences() -> None:
    line = f"{LEAD} {LEANING}"
    at = len(LEAD) + 1
    notes = Annotation(
        (Phrase(0, 12, "sealed comb"), Phrase(at + 11, at + 16, "honey")),
        (Mention(0, 6, "ORG"),),
    )
    places = [(0, len(LEAD)), (at, len(line))]
    parts = [Sentence(line, start, end, notes) for start, end in places]
    *_, whole = candidates(parts, [True, True], 3, 100)
    assert (whole.start, whole.end, whole.line) == (100, 100 + len(line), 3)
    assert (whole.lead, whole.phrases) == (("sealed comb",), ("sealed comb", "honey"))
    assert whole.names == ("Sealed",)
    assert len(whole.fingerprints) == 2


def candidate(start: int, score: float = 3.0, **changes: object) -> Candidate:
    values: dict[str, object] = {
        "start": start,
        "end": start + 100,
        "line": start,
        "score": score,
        "type": "claim",
        "phrases": ("comb",),
        "lead": ("comb",),
        "names": (),
        "fingerprints": (start,),
    }
    return Candidate(**{**values, **changes})  # type: ignore[arg-type]


TOPICS = {"comb", "mite", "hive"}


def test_the_first_sentence_names_a_topic() -> None:
    without = candidate(1, lead=("air",), phrases=("air", "comb"))
    assert choose_insights([without], TOPICS, (), 9000) == []
    assert [c.start for c in choose_insights([candidate(2)], TOPICS, (), 9000)] == [2]


def test_no_sentence_is_quoted_twice_and_the_best_span_wins() -> None:
    short = candidate(0, 2.5, end=50, line=0)
    long = candidate(0, 3.5, end=100, line=0)
    assert [c.end for c in choose_insights([short, long], TOPICS, (), 9000)] == [100]


def test_boilerplate_and_weak_forms_are_left_out_and_length_limits_the_rest() -> None:
    repeated = candidate(5, fingerprints=(5, 77))
    weak = candidate(6, 1.0)
    assert choose_insights([repeated, weak], TOPICS, {77}, 9000) == []
    many = [candidate(n * 1000, 3 + n / 100) for n in range(30)]
    chosen = choose_insights(many, TOPICS, (), 3500)
    assert [c.start for c in chosen] == [n * 1000 for n in range(25, 30)]


def test_games_are_told_from_talk_that_scores_a_point() -> None:
    play = "Round two. Lars, your guess? That is correct, two points. Next round: wrong answer. "
    assert is_game(play * 3)
    talk = "You made two points. " * 6 + "The air inside of the hive is warm. " * 1000
    assert not is_game(talk)
    assert not is_game("That is correct. Two points.")
