"""The policy gate: each trigger alone, the veto, the modes, the lexicon."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import UsageError
from podcast_scraper.search.rescue.config import RescueConfig
from podcast_scraper.search.rescue.gate import FirstStageSignals, Gate
from podcast_scraper.search.rescue.lexicon import RELATION_CUES, inflections
from podcast_scraper.search.rescue.records import QueryBundle

GATE = Gate(RescueConfig())
CALM = FirstStageSignals(agreement=0.4, confidence=0.8)


def reasons(text: str, signals: FirstStageSignals = CALM, **bundle: object) -> tuple[str, ...]:
    return GATE.decide(QueryBundle(text, **bundle), signals).reasons  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "why did rates rise",
        "What CAUSED the outage?",
        "how rates depend on wages",
        "sleep depends on light",
        "is sleep depending on light",
        "influencing elections",
        "they disagreed about nuclear power",
        "contradicting earlier claims",
        "relations of the two",
        "how did his view evolve",
        "changes, then and now",
        "cats vs dogs",
    ],
)
def test_relation_words_fire_with_their_inflections(text: str) -> None:
    assert reasons(text) == ("relation-cue",)


@pytest.mark.parametrize(
    "text", ["whyte notes", "the becausal thing", "exchange rates", "causeway", "betweenness", ""]
)
def test_parts_of_words_do_not_fire(text: str) -> None:
    assert reasons(text) == ()


def test_inflections_by_hand() -> None:
    assert inflections("cause") == {"cause", "causes", "caused", "causing"}
    assert inflections("agree") == {"agree", "agrees", "agreed", "agreeing"}
    assert inflections("rely") == {"rely", "relies", "relied", "relying"}
    assert inflections("clash") == {"clash", "clashes", "clashed", "clashing"}
    assert inflections("depend") == {"depend", "depends", "depended", "depending"}


def test_lexicon_has_the_words_of_the_policy() -> None:
    needed = "why because cause reason between relation depend affect influence compare versus"
    needed += " differ agree disagree contradict respond change evolve"
    assert set(needed.split()) <= set(RELATION_CUES)


def test_own_cues_replace_the_lexicon() -> None:
    gate = Gate(RescueConfig(relation_cues=("wherefore",)))
    assert gate.decide(QueryBundle("wherefore art thou"), CALM).reasons == ("relation-cue",)
    assert gate.decide(QueryBundle("why art thou"), CALM).reasons == ()


def test_two_mentions_are_entity_heavy() -> None:
    assert reasons("x", seed_node_ids=("a", "b")) == ("entity-heavy",)
    assert reasons("x", seed_node_ids=("a",)) == ()
    assert reasons("x", seed_node_ids=("a", "a")) == ()
    # One ambiguous name with two nodes is one mention.
    assert reasons("x", seed_node_ids=("a", "b"), seed_mentions=1) == ()
    assert reasons("x", seed_node_ids=(), seed_mentions=2) == ("entity-heavy",)


@pytest.mark.parametrize(
    ("agreement", "fires"), [(0.0, True), (0.29, True), (0.30, False), (None, False)]
)
def test_low_agreement(agreement: float | None, fires: bool) -> None:
    assert ("low-agreement" in reasons("x", FirstStageSignals(agreement, 0.9))) is fires


@pytest.mark.parametrize(
    ("confidence", "fires"), [(-0.2, True), (0.59, True), (0.60, False), (None, False)]
)
def test_low_confidence(confidence: float | None, fires: bool) -> None:
    assert ("low-confidence" in reasons("x", FirstStageSignals(0.4, confidence))) is fires


def test_navigational_veto_beats_every_trigger_but_the_cue() -> None:
    bundle = QueryBundle("the daily show", seed_mentions=3)
    decision = GATE.decide(bundle, FirstStageSignals(0.5, 0.1))
    assert not decision.fired
    assert decision.vetoed_by == "navigational"
    assert decision.reasons == ("entity-heavy", "low-confidence")

    cued = GATE.decide(QueryBundle("why the daily show"), FirstStageSignals(0.9, 0.9))
    assert cued.fired
    assert cued.vetoed_by is None


@pytest.mark.parametrize(
    ("text", "agreement"),
    [("one two three four five six seven", 0.9), ("short", 0.49), ("short", None)],
)
def test_no_veto(text: str, agreement: float | None) -> None:
    decision = GATE.decide(QueryBundle(text, seed_mentions=2), FirstStageSignals(agreement, 0.9))
    assert decision.fired
    assert decision.vetoed_by is None


def test_off_and_force_record_what_auto_says() -> None:
    bundle = QueryBundle("why is that")
    auto = {"fired": True, "reasons": ("relation-cue",), "vetoed_by": None}
    off = GATE.decide(bundle, CALM, mode="off")
    assert (off.mode, off.fired, off.vetoed_by, off.auto) == ("off", False, "mode-off", auto)
    force = GATE.decide(QueryBundle("x"), CALM, mode="force")
    assert (force.mode, force.fired, force.vetoed_by) == ("force", True, None)
    assert force.reasons == ("mode-force",)
    assert force.auto == {"fired": False, "reasons": (), "vetoed_by": None}


def test_decision_carries_its_signals() -> None:
    decision = GATE.decide(QueryBundle("x"), FirstStageSignals(0.25, 0.7))
    assert (decision.agreement, decision.confidence, decision.confidence_threshold) == (
        0.25,
        0.7,
        0.60,
    )


def test_unknown_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="off, auto, force"):
        GATE.decide(QueryBundle("x"), CALM, mode="on")


@given(
    text=st.text(max_size=60),
    mentions=st.integers(0, 4),
    agreement=st.none() | st.floats(0, 1),
    confidence=st.none() | st.floats(-1, 1),
)
def test_auto_is_the_same_in_every_mode(
    text: str, mentions: int, agreement: float | None, confidence: float | None
) -> None:
    bundle = QueryBundle(text, seed_mentions=mentions)
    signals = FirstStageSignals(agreement, confidence)
    decisions = {mode: GATE.decide(bundle, signals, mode=mode) for mode in ("off", "auto", "force")}
    assert len({str(decision.auto) for decision in decisions.values()}) == 1
    auto = decisions["auto"]
    assert auto.auto == {
        "fired": auto.fired,
        "reasons": auto.reasons,
        "vetoed_by": auto.vetoed_by,
    }
    assert not decisions["off"].fired
    assert decisions["force"].fired
