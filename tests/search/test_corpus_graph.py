"""The graph against a plain reference, from records and from an index."""

from __future__ import annotations

import contextlib
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import IndexDamagedError, IndexMismatchError
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.search.corpus_graph import CorpusGraph
from podcast_scraper.search.graph.edge_types import MEANING_BEARING
from podcast_scraper.search.graph.files import write_graph
from podcast_scraper.search.graph.records import GraphEdge
from tests.postgres import FILES_OR_POSTGRES, fresh_schemas
from tests.search.graph_corpus import EpisodeDraft, write_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.artifacts.records import EpisodeRecord

PEOPLE = ("Ada", "Bo", "Cy", "Di")
TOPICS = ("Chess", "Tea", "Rain")


@st.composite
def corpora(draw: st.DrawFn) -> list[EpisodeRecord]:
    made = []
    for number in range(draw(st.integers(0, 4))):
        day = draw(st.sampled_from(["2024-01-01", "2024-03-05", None]))
        episode = EpisodeDraft(f"e{number}", draw(st.sampled_from("ab")), day)
        people = [episode.person(n) for n in draw(st.sets(st.sampled_from(PEOPLE), min_size=1))]
        topics = [episode.topic(n) for n in draw(st.sets(st.sampled_from(TOPICS)))]
        for i in range(draw(st.integers(0, 3))):
            episode.insight(
                f"{number}{i}",
                about=draw(st.lists(st.sampled_from(topics), max_size=2)) if topics else (),
                by=draw(st.lists(st.sampled_from(people), max_size=2)),
                mentions=draw(st.lists(st.sampled_from(people), max_size=2)),
                hint=draw(st.sampled_from([None, 0.25, 0.75])),
            )
        made.append(episode.record())
    return made


def triples(records: Sequence[EpisodeRecord]) -> set[tuple[str, str, str]]:
    return {(e.type, e.source, e.target) for r in records for e in r.edges}


def reference_bfs(records: Sequence[EpisodeRecord], start: str, hops: int) -> dict[str, int]:
    graph: networkx.Graph[str] = networkx.Graph()
    graph.add_edges_from((source, target) for _, source, target in triples(records))
    if start not in graph:
        return {}
    return dict(networkx.single_source_shortest_path_length(graph, start, cutoff=hops))


@settings(max_examples=40)
@given(corpora(), st.integers(0, 4))
def test_union_neighbours_and_bfs(records: list[EpisodeRecord], hops: int) -> None:
    graph = CorpusGraph.from_records(records)
    expected = triples(records)
    assert {(e.type, e.source, e.target) for e in graph.edges()} == expected
    assert set(graph.ids) == {n.id for r in records for n in r.nodes}
    around: dict[str, set[str]] = defaultdict(set)
    typed: dict[tuple[str, str], set[str]] = defaultdict(set)
    for kind, source, target in expected:
        for here, there in ((source, target), (target, source)):
            around[here].add(there)
            typed[here, kind].add(there)
    for node_id in graph.ids:
        assert graph.neighbors(node_id) == sorted(around[node_id])
        assert graph.degree(node_id) == len(around[node_id])
        for kind in ("ABOUT", "MENTIONS", "SPOKEN_BY"):
            assert graph.typed_neighbors(node_id, kind) == sorted(typed[node_id, kind])
        assert graph.bfs(node_id, hops) == reference_bfs(records, node_id, hops)


@pytest.mark.parametrize("where", FILES_OR_POSTGRES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpora(), st.booleans(), st.sampled_from([{}, {"person:bo": "person:ada"}]))
def test_an_index_answers_like_loose_records(
    request: pytest.FixtureRequest,
    where: str,
    records: list[EpisodeRecord],
    speaker_links: bool,
    merge: dict[str, str],
) -> None:
    identity = IdentityMap.of(merge)
    loose = CorpusGraph.from_records(
        records, derive_speaker_links=speaker_links, identity_map=merge
    )
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="000001."))
        url = None
        if where == "postgres":
            url = stack.enter_context(fresh_schemas(request.getfixturevalue("postgres_url")))
        engine = write_index(Path(name), records, url)
        write_graph(Path(name), engine, identity_map=identity)
        stored = CorpusGraph.open(Path(name), engine, derive_speaker_links=speaker_links)
        again = CorpusGraph.open(Path(name), engine, identity_map={})
        assert list(stored.ids) == list(loose.ids)
        assert list(stored.edges()) == list(loose.edges())
        assert stored.get_nodes(stored.ids).keys() == set(stored.ids)
        for node_id, node in loose.get_nodes(loose.ids).items():
            other = stored.get_node(node_id)
            assert other is not None
            assert (other.type, other.payload) == (node.type, node.payload)
            if node.type not in ("podcast", "episode"):  # an index keeps no layers of these
                assert other.layers == node.layers
            assert stored.label(node_id) == loose.label(node_id)
            assert stored.bfs(node_id, 2) == loose.bfs(node_id, 2)
            assert stored.community(node_id) == loose.community(node_id)
        for name_ in ("home", "day", "hint", "grounded", "base"):
            np.testing.assert_array_equal(
                getattr(stored.columns, name_), getattr(loose.columns, name_)
            )
        assert set(again.edges()) == set(CorpusGraph.from_records(records).edges())
        engine.dispose()


@settings(max_examples=25)
@given(corpora(), st.data())
def test_removing_an_episode_removes_exactly_its_share(
    records: list[EpisodeRecord], data: st.DataObject
) -> None:
    if not records:
        return
    gone = data.draw(st.sampled_from(records))
    rest = [record for record in records if record is not gone]
    whole, without = CorpusGraph.from_records(records), CorpusGraph.from_records(rest)
    lost = set(whole.edges()) - set(without.edges())
    own = triples([gone]) - triples(rest)
    assert {(e.type, e.source, e.target) for e in lost} == own
    assert set(without.edges()) <= set(whole.edges())


def small() -> list[EpisodeRecord]:
    one = EpisodeDraft("e1", "a", "2024-01-01")
    ada, tea = one.person("Ada", "host"), one.topic("Tea")
    one.insight("i1", about=[tea], by=[ada])
    two = EpisodeDraft("e2", "b", "2024-02-01")
    two.person("Bo", "guest")
    two.insight("i2", about=[two.topic("Tea")], by=["person:bo", "person:bo"], mentions=[ada])
    two.person("Ada")
    return [one.record(), two.record()]


def test_rfc_091_names() -> None:
    graph = CorpusGraph.from_records(small(), derive_speaker_links=True)
    assert graph.typed_neighbors("person:ada", "SPEAKER_OF") == ["insight:i1"]
    assert graph.typed_neighbors("insight:i2", "states") == ["person:bo"]
    assert graph.typed_neighbors("insight:i1", "IN_EPISODE") == ["episode:e1"]
    assert graph.typed_neighbors("topic:tea", "COVERS") == ["episode:e1", "episode:e2"]
    assert graph.typed_neighbors("episode:e2", "COVERS") == ["topic:tea"]
    assert graph.typed_neighbors("person:ada", "MENTIONED_IN") == ["episode:e1", "episode:e2"]
    assert graph.typed_neighbors("episode:e2", "MENTIONED_IN") == ["person:ada", "person:bo"]
    assert graph.typed_neighbors("person:ada", "COVERS") == []
    assert graph.typed_neighbors("episode:e1", "FROM_SHOW") == ["podcast:a"]


def test_without_the_flag_nothing_is_derived() -> None:
    graph = CorpusGraph.from_records(small())
    assert graph.typed_neighbors("person:ada", "STATES") == []


def test_unknown_ids_are_empty() -> None:
    graph = CorpusGraph.from_records(small())
    assert graph.get_node("person:nobody") is None
    assert graph.neighbors("x") == graph.typed_neighbors("x", "ABOUT") == []
    assert graph.typed_neighbors("person:ada", "NO_SUCH_EDGE") == []
    assert graph.bfs("x", 3) == {}
    assert graph.bfs("person:ada", -1) == {}
    assert graph.degree("x") == 0
    assert graph.nodes_by_type("dragon") == []
    assert graph.community("x") is None
    assert graph.centrality("x") == 0.0
    assert "x" not in graph
    assert len(CorpusGraph.from_records([])) == 0


def test_nodes_and_payloads() -> None:
    graph = CorpusGraph.from_records(small())
    assert graph.nodes_by_type("Person") == ["person:ada", "person:bo"]
    node = graph.get_node("episode:e2")
    assert node is not None
    assert node.layers == {"gi", "kg"}
    assert node.payload["title"] == "Episode e2"
    assert node.payload["audio_url"] == "https://example.org/e2.mp3"
    topic = graph.get_node("topic:tea")
    assert topic is not None
    assert topic.payload == {"label": "Tea"}


def test_gi_wins_over_kg_on_shared_properties() -> None:
    first = EpisodeDraft("e1")
    first.add("person:ada", "person", frozenset({"gi"}), name="Ada", note="from gi")
    second = EpisodeDraft("e2")
    second.add("person:ada", "person", frozenset({"kg"}), name="Ada", note="from kg", role="host")
    graph = CorpusGraph.from_records([first.record(), second.record()])
    node = graph.get_node("person:ada")
    assert node is not None
    assert node.payload == {"name": "Ada", "note": "from gi", "role": "host"}
    assert node.layers == {"gi", "kg"}


def test_edges_to_missing_nodes_and_self_loops_are_left_out() -> None:
    episode = EpisodeDraft("e1")
    tea = episode.topic("Tea")
    episode.edge("RELATED_TO", tea, tea)
    episode.edge("RELATED_TO", tea, "topic:missing")
    graph = CorpusGraph.from_records([episode.record()])
    assert graph.typed_neighbors(tea, "RELATED_TO") == []
    assert "topic:missing" not in graph


def test_a_merge_redirects_edges_and_drops_what_became_a_loop() -> None:
    records = small()
    graph = CorpusGraph.from_records(records, identity_map={"person:bo": "person:ada"})
    assert "person:bo" not in graph
    assert graph.typed_neighbors("person:ada", "SPOKEN_BY") == [
        "quote:i1-0",
        "quote:i2-0",
        "quote:i2-1",
    ]
    mentions = [e for e in graph.edges() if e.type == "MENTIONS" and e.source == "episode:e2"]
    assert [e.target for e in mentions] == ["person:ada", "topic:tea"]


def host_show(*, named: Sequence[str], roles: str = "host") -> list[EpisodeRecord]:
    records = []
    for number, name in enumerate(named):
        episode = EpisodeDraft(f"e{number}")
        speaker = episode.person(name, roles)
        episode.edge("HOSTS", speaker, "podcast:a")
        episode.insight(str(number), by=[speaker])
        records.append(episode.record())
    return records


def test_an_unnamed_host_voice_of_a_one_host_show_is_attributed_and_marked() -> None:
    voice = "person:speaker-01@e2"
    records = host_show(named=["Ada", "Ada", voice])
    graph = CorpusGraph.from_records(records, reconcile_hosts=True, derive_speaker_links=True)
    assert voice not in graph
    spoken = GraphEdge("SPOKEN_BY", "quote:2-0", "person:ada", inferred=True)
    assert spoken in set(graph.edges())
    assert GraphEdge("STATES", "person:ada", "insight:2", inferred=True) in set(graph.edges())
    assert GraphEdge("SPOKEN_BY", "quote:0-0", "person:ada") in set(graph.edges())
    assert voice in CorpusGraph.from_records(records)


@pytest.mark.parametrize(
    ("named", "roles"),
    [
        (["Ada", "person:speaker-01@e1"], "host"),  # named in one episode only
        (["Ada", "Ada", "Bo", "Bo", "person:speaker-01@e4"], "host"),  # co-hosts
        (["Ada", "Ada", "person:speaker-01@e2"], "guest"),  # guests are never inferred
    ],
)
def test_otherwise_the_voice_stays_unnamed(named: list[str], roles: str) -> None:
    graph = CorpusGraph.from_records(host_show(named=named, roles=roles), reconcile_hosts=True)
    assert named[-1] in graph


def test_a_host_who_never_speaks_hosts_nothing() -> None:
    records = host_show(named=["Ada"])
    silent = EpisodeDraft("e9")
    silent.edge("HOSTS", silent.person("Bo", "host"), "podcast:a")
    graph = CorpusGraph.from_records([*records, silent.record()], reconcile_hosts=True)
    assert graph.typed_neighbors("podcast:a", "HOSTS") == ["person:ada"]


def test_subgraphs_for_networkx() -> None:
    graph = CorpusGraph.from_records(small())
    made = graph.to_networkx(["insight:i1", "topic:tea", "quote:i1-0", "nobody"])
    assert set(made.edges(keys=True)) == {
        ("insight:i1", "topic:tea", "ABOUT"),
        ("insight:i1", "quote:i1-0", "SUPPORTED_BY"),
    }
    assert made.nodes["topic:tea"] == {"type": "topic", "label": "Tea"}


@settings(max_examples=25)
@given(corpora())
def test_centrality_is_networkx_pagerank_over_meaning(records: list[EpisodeRecord]) -> None:
    graph = CorpusGraph.from_records(records)
    oracle: networkx.Graph[str] = networkx.Graph()
    oracle.add_nodes_from(graph.ids)
    for kind, source, target in triples(records):
        if kind in MEANING_BEARING:
            weight = oracle.get_edge_data(source, target, {"weight": 0})["weight"]
            oracle.add_edge(source, target, weight=weight + 1)
    if not len(graph):
        return
    rank = networkx.pagerank(oracle, alpha=0.85, tol=1e-12, max_iter=1000)
    top = max(rank.values())
    for node_id in graph.ids:
        assert graph.centrality(node_id) == pytest.approx(rank[node_id] / top, abs=1e-5)


def test_communities_find_two_separate_circles() -> None:
    one, two = EpisodeDraft("e1"), EpisodeDraft("e2")
    for episode, name in ((one, "Tea"), (two, "Rain")):
        topic = episode.topic(name)
        for number in range(4):
            episode.insight(f"{episode.id}{number}", about=[topic])
    graph = CorpusGraph.from_records([one.record(), two.record()])
    tea = {graph.community(i) for i in ("topic:tea", "insight:e10", "insight:e13")}
    rain = {graph.community(i) for i in ("topic:rain", "insight:e20", "insight:e23")}
    assert len(tea) == len(rain) == 1
    assert tea != rain


def test_a_hub_of_high_degree_is_walked() -> None:
    episode = EpisodeDraft("e1")
    hub = episode.topic("Hub")
    for number in range(100_000):
        node = episode.add(f"topic:t{number}", "topic", label="t")
        episode.edge("RELATED_TO", hub, node)
    graph = CorpusGraph.from_records([episode.record()])
    assert graph.degree(hub) == 100_001
    assert len(graph.bfs(hub, 1)) == 100_002


def test_a_damaged_graph_is_named(tmp_path: Path) -> None:
    engine = write_index(tmp_path, small())
    write_graph(tmp_path, engine)
    (tmp_path / "graph" / "neighbor.npy").write_bytes(b"x")
    with pytest.raises(IndexDamagedError, match="podcast-scraper index"):
        CorpusGraph.open(tmp_path, engine)
    (tmp_path / "graph" / "graph.json").write_text('{"version": 99}')
    with pytest.raises(IndexMismatchError, match="format 99"):
        CorpusGraph.open(tmp_path, engine)
    engine.dispose()
