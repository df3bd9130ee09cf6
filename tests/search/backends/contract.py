"""What every SearchBackend must do, as tests over a ``make_backend`` fixture.

A test module of an engine imports the class, subclasses it, and defines the fixture
``make_backend``: a function without arguments that gives an empty backend for vectors of
``DIMENSION``, ready to take documents of any show and episode named here (class scope: one filled
backend serves the tests that only read). Only the protocol is
used, and only orders and sets are asserted, never an engine's own scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest

from podcast_scraper.errors import PodcastScraperError
from podcast_scraper.search.backend import BackendHealth, Filters, SearchBackend, SearchQuery
from podcast_scraper.search.documents import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import ScoredResult

DIMENSION = 8
SHOWS = ("podcast:north", "podcast:south")
EPISODES = ("n1", "n2", "s1")

MakeBackend = Callable[[], SearchBackend]


def axis(number: int, *, lean: float = 0.0) -> NDArray[np.float32]:
    """Return a unit vector along one axis, leaning towards the next one."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[number % DIMENSION] = 1.0
    vector[(number + 1) % DIMENSION] = lean
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def segment(doc_id: str, text: str, **fields: object) -> Document:
    values: dict[str, object] = {"episode_id": "n1", "show_id": "podcast:north", **fields}
    return Document(doc_id, "segment", text, **values)  # type: ignore[arg-type]


def insight(doc_id: str, text: str, **fields: object) -> Document:
    return replace(segment(doc_id, text, **fields), tier="insight")


CORPUS: tuple[Document, ...] = (
    segment(
        "seg-a",
        "The harbour was frozen, and the ferries waited for the ice to break.",
        published="2023-01-10",
        speakers=("person:ida",),
        topics=("topic:ice",),
    ),
    segment(
        "seg-b",
        "Ferries run on batteries now. A battery ferry is quiet.",
        episode_id="n2",
        published="2023-05-01",
        speakers=("person:omar", "person:ida"),
        topics=("topic:energy",),
        mentions=("org:port",),
    ),
    segment(
        "seg-c",
        "To be or not to be: the harbour master's question about ice.",
        episode_id="s1",
        show_id="podcast:south",
        published="2024-02-29",
        speakers=("person:omar",),
        mentions=("person:ida",),
    ),
    segment(
        "seg-ad",
        "This harbour is brought to you by a battery maker.",
        episode_id="s1",
        show_id="podcast:south",
        published="2024-02-29",
        kind="ad",
    ),
    insight(
        "ins-a",
        "Battery ferries cut the noise in the harbour.",
        episode_id="n2",
        published="2023-05-01",
        speakers=("person:omar",),
        topics=("topic:energy", "topic:noise"),
        insight_type="claim",
    ),
    insight("ins-b", "Café owners want quieter nights.", insight_type="recommendation"),
)
VECTORS = np.stack([axis(n, lean=0.5) for n in range(len(CORPUS))])


def ids(results: Iterable[ScoredResult]) -> list[str]:
    return [result.doc_id for result in results]


def fill(
    backend: SearchBackend,
    documents: Sequence[Document] = CORPUS,
    vectors: NDArray[np.float32] | None = None,
) -> SearchBackend:
    rows = VECTORS[: len(documents)] if vectors is None else vectors
    for tier, upsert in (
        ("segment", backend.upsert_segment),
        ("insight", backend.upsert_insight),
    ):
        places = [n for n, document in enumerate(documents) if document.tier == tier]
        if places:
            upsert([documents[n] for n in places], rows[places])
    backend.create_indices()
    return backend


def allowed(filters: Filters, tier: str = "all") -> set[str]:
    """Return what filters let through, by a plain reading of the documents (no phrases)."""
    return {
        document.doc_id
        for document in CORPUS
        if tier in ("all", document.tier)
        and (not filters.shows or document.show_id in filters.shows)
        and (not filters.episodes or document.episode_id in filters.episodes)
        and (not filters.persons or set(filters.persons) & set(document.speakers))
        and (not filters.mentions or set(filters.mentions) & set(document.mentions))
        and (not filters.topics or set(filters.topics) & set(document.topics))
        and (not filters.insight_types or document.insight_type in filters.insight_types)
        and (filters.since is None or (document.published or "") >= filters.since)
        and (filters.until is None or "" < (document.published or "") <= filters.until)
        and (filters.ads == "include" or document.kind != "ad")
    }


FILTERS = (
    Filters(),
    Filters(shows=("podcast:south",)),
    Filters(shows=("podcast:south", "podcast:north")),
    Filters(episodes=("n2",)),
    Filters(persons=("person:ida",)),
    Filters(persons=("person:ida", "person:omar")),
    Filters(mentions=("person:ida",)),
    Filters(topics=("topic:noise", "topic:ice")),
    Filters(insight_types=("claim",)),
    Filters(since="2023-05-01"),
    Filters(until="2023-05-01"),
    Filters(since="2023-05-01", until="2023-05-01"),
    Filters(since="2024-01-01", until="2023-01-01"),
    Filters(ads="exclude"),
    Filters(shows=("podcast:north",), persons=("person:omar",), since="2023-02-01"),
    Filters(shows=("podcast:nowhere",)),
    Filters(shows=("podcast:south",), ads="exclude", mentions=("person:ida",)),
)
EVERY_WORD = "harbour ferries battery ice quieter café question"


class BackendContract:
    """Subclass it in a test module that defines ``make_backend``."""

    FILTERS: ClassVar = FILTERS
    EXPLAINS: ClassVar = True

    @pytest.fixture(scope="class")
    @classmethod
    def backend(cls, make_backend: MakeBackend) -> SearchBackend:
        return fill(make_backend())

    def test_it_is_a_search_backend(self, backend: SearchBackend) -> None:
        assert isinstance(backend, SearchBackend)

    # Results and their order ----------------------------------------------------------------

    def test_words_find_their_documents(self, backend: SearchBackend) -> None:
        assert set(ids(backend.search_bm25(SearchQuery("frozen")))) == {"seg-a"}
        assert set(ids(backend.search_bm25(SearchQuery("batteries")))) == {
            "seg-b",
            "ins-a",
            "seg-ad",
        }

    def test_the_document_with_more_of_the_query_is_first(self, backend: SearchBackend) -> None:
        assert ids(backend.search_bm25(SearchQuery("battery ferry quiet")))[0] == "seg-b"

    def test_accents_and_case_do_not_matter(self, backend: SearchBackend) -> None:
        for text in ("cafe", "CAFÉ", "cafe\N{COMBINING ACUTE ACCENT}"):
            assert ids(backend.search_bm25(SearchQuery(text))) == ["ins-b"]

    def test_stop_words_alone_still_find(self, backend: SearchBackend) -> None:
        assert ids(backend.search_bm25(SearchQuery("to be or not to be")))[0] == "seg-c"

    def test_the_nearest_vector_is_first(self, backend: SearchBackend) -> None:
        for number, document in enumerate(CORPUS):
            query = SearchQuery("", axis(number, lean=0.5))
            assert ids(backend.search_vector(query))[0] == document.doc_id

    def test_lists_are_ranked_from_one_by_falling_score(self, backend: SearchBackend) -> None:
        query = SearchQuery(EVERY_WORD, axis(0, lean=0.9))
        for found, signal in (
            (backend.search_bm25(query), "bm25"),
            (backend.search_vector(query), "vector"),
        ):
            assert [result.rank for result in found] == list(range(1, len(found) + 1))
            assert [r.score for r in found] == sorted((r.score for r in found), reverse=True)
            assert {result.signal for result in found} == {signal}
            assert all(
                result.source_tier
                == result.doc_id.replace("ins", "insight")
                .replace("seg", "segment")
                .partition("-")[0]
                for result in found
            )
        assert all(result.score > 0 for result in backend.search_bm25(query))

    def test_dense_scores_are_cosines(self, backend: SearchBackend) -> None:
        query = axis(0, lean=0.9)
        found = backend.search_vector(SearchQuery("", query))
        truth = {d.doc_id: float(v @ query) for d, v in zip(CORPUS, VECTORS, strict=True)}
        assert {r.doc_id: r.score for r in found} == pytest.approx(truth, abs=1e-3)

    def test_shares_of_terms_add_up_to_the_score(self, backend: SearchBackend) -> None:
        if not self.EXPLAINS:
            pytest.skip("this engine does not say what a term adds")
        for text in (EVERY_WORD, "to be or not to be", "battery ferry"):
            found = backend.search_bm25(SearchQuery(text))
            assert found
            for hit in found:
                shares = backend.explain_bm25(text, hit.doc_id)
                assert sum(shares.values()) == pytest.approx(hit.score, abs=2e-4)
                assert {name.partition(":")[0] for name in shares} <= {"stem", "context", "exact"}
        assert backend.explain_bm25("harbour", "seg-a").keys() >= {"stem:harbour", "exact:harbour"}
        assert backend.explain_bm25("harbour", "seg-b") == {}
        assert backend.explain_bm25("harbour", "unknown") == {}

    def test_k_cuts_the_list_and_nothing_else(self, backend: SearchBackend) -> None:
        query = SearchQuery(EVERY_WORD, axis(1, lean=0.3))
        for search in (backend.search_bm25, backend.search_vector):
            whole = search(query)
            for k in (1, 2, 3, 1000):
                assert search(replace(query, k=k)) == whole[:k]
            for k in (0, -1):
                with pytest.raises(PodcastScraperError):
                    search(replace(query, k=k))

    def test_ties_are_broken_by_id_at_every_cut(self, make_backend: MakeBackend) -> None:
        names = [f"t{(n * 37) % 60:02d}" for n in range(60)]
        documents = [segment(name, "the very same words") for name in names]
        backend = fill(make_backend(), documents, np.tile(axis(2), (60, 1)))
        query = SearchQuery("same words", axis(2))
        for k in (1, 7, 60):
            expected = sorted(names)[:k]
            assert ids(backend.search_bm25(replace(query, k=k))) == expected
            assert ids(backend.search_vector(replace(query, k=k))) == expected

    # Filters --------------------------------------------------------------------------------

    @pytest.mark.parametrize("filters", FILTERS)
    @pytest.mark.parametrize("tier", ["all", "segment", "insight"])
    def test_filters_restrict_both_stages(
        self, backend: SearchBackend, filters: Filters, tier: str
    ) -> None:
        query = SearchQuery(EVERY_WORD, axis(0, lean=0.2), filters, tier=tier)  # type: ignore[arg-type]
        assert set(ids(backend.search_bm25(query))) == allowed(filters, tier)
        assert set(ids(backend.search_vector(query))) == allowed(filters, tier)

    def test_a_filter_never_shrinks_a_list_that_was_cut_before(
        self, make_backend: MakeBackend
    ) -> None:
        documents = [
            segment(f"d{n:03d}", "ice " * (200 - n), topics=("topic:rare",) if n > 195 else ())
            for n in range(200)
        ]
        vectors = np.stack([axis(0, lean=n / 100) for n in range(200)])
        backend = fill(make_backend(), documents, vectors)
        query = SearchQuery("ice", axis(0), Filters(topics=("topic:rare",)), k=4)
        expected = ["d196", "d197", "d198", "d199"]
        assert sorted(ids(backend.search_bm25(query))) == expected
        assert ids(backend.search_vector(query)) == expected

    @pytest.mark.parametrize(
        ("phrases", "excluded", "expected"),
        [
            (("battery ferry",), (), {"seg-b"}),
            (("ferry battery",), (), set()),
            (("to be or not to be",), (), {"seg-c"}),
            (("the harbour", "the ice"), (), {"seg-a"}),
            (("FERRIES",), (), {"seg-a", "seg-b", "ins-a"}),
            ((), ("harbour",), {"seg-b", "ins-b"}),
            ((), ("the harbour",), {"seg-b", "seg-ad", "ins-b"}),
            ((), ("harbour", "battery"), {"ins-b"}),
            (("harbour",), ("ice",), {"seg-ad", "ins-a"}),
            (("cafe owners",), (), {"ins-b"}),
            (("harbour master",), (), {"seg-c"}),
        ],
    )
    def test_phrases_and_exclusions_restrict_both_stages(
        self,
        backend: SearchBackend,
        phrases: tuple[str, ...],
        excluded: tuple[str, ...],
        expected: set[str],
    ) -> None:
        filters = Filters(phrases=phrases, excluded=excluded)
        query = SearchQuery(EVERY_WORD, axis(3), filters)
        assert set(ids(backend.search_vector(query))) == expected
        assert set(ids(backend.search_bm25(query))) == expected

    @pytest.mark.parametrize("filters", FILTERS)
    def test_browsing_lists_by_date_what_the_filters_allow(
        self, backend: SearchBackend, filters: Filters
    ) -> None:
        published = {document.doc_id: document.published or "" for document in CORPUS}
        by_id = sorted(allowed(filters))
        expected = sorted(by_id, key=lambda doc_id: published[doc_id], reverse=True)
        for k in (1, 3, 100):
            found = backend.browse(SearchQuery("", filters=filters, k=k))
            assert ids(found) == expected[:k]
            assert [result.rank for result in found] == list(range(1, len(found) + 1))

    # Changes --------------------------------------------------------------------------------

    def test_a_deleted_document_is_gone(self, make_backend: MakeBackend) -> None:
        backend = fill(make_backend())
        backend.delete(["seg-b", "never-there"])
        backend.create_indices()
        query = SearchQuery(EVERY_WORD, axis(1, lean=0.5))
        assert "seg-b" not in ids(backend.search_bm25(query))
        assert "seg-b" not in ids(backend.search_vector(query))
        assert backend.fetch(["seg-b", "seg-a"]).keys() == {"seg-a"}
        assert backend.health() == BackendHealth({"segment": 3, "insight": 2})

    def test_an_upsert_replaces_text_vector_and_fields(self, make_backend: MakeBackend) -> None:
        backend = fill(make_backend())
        changed = segment("seg-a", "Glaciers only.", speakers=("person:omar",))
        backend.upsert_segment([changed], axis(6)[None])
        backend.create_indices()
        assert ids(backend.search_bm25(SearchQuery("frozen"))) == []
        assert ids(backend.search_bm25(SearchQuery("glacier"))) == ["seg-a"]
        assert ids(backend.search_vector(SearchQuery("", axis(6))))[0] == "seg-a"
        gone = SearchQuery("glacier", axis(6), Filters(persons=("person:ida",)))
        assert "seg-a" not in ids(backend.search_bm25(gone))
        assert "seg-a" not in ids(backend.search_vector(gone))
        assert backend.fetch(["seg-a"]) == {"seg-a": changed}
        assert backend.health() == BackendHealth({"segment": 4, "insight": 2})

    def test_the_last_of_a_batch_with_one_id_counts(self, make_backend: MakeBackend) -> None:
        twice = [segment("x", "first words"), segment("x", "second words")]
        backend = fill(make_backend(), twice)
        assert ids(backend.search_bm25(SearchQuery("first"))) == []
        assert ids(backend.search_bm25(SearchQuery("second"))) == ["x"]
        assert ids(backend.search_vector(SearchQuery("", axis(1, lean=0.5)))) == ["x"]
        assert backend.health() == BackendHealth({"segment": 1, "insight": 0})

    def test_fetch_gives_documents_back_equal(self, backend: SearchBackend) -> None:
        everything = {document.doc_id: document for document in CORPUS}
        assert backend.fetch([*everything, "unknown"]) == everything
        assert backend.fetch([]) == {}

    # Nothing to find ------------------------------------------------------------------------

    def test_empty_stages_are_empty_lists(self, backend: SearchBackend) -> None:
        assert backend.search_vector(SearchQuery("harbour")) == []
        for text in ("", "   ", "?!…", "🙂", "zzzz"):
            assert backend.search_bm25(SearchQuery(text)) == []

    def test_an_empty_index_answers(self, make_backend: MakeBackend) -> None:
        backend = make_backend()
        backend.create_indices()
        assert backend.search_bm25(SearchQuery("harbour")) == []
        assert backend.search_vector(SearchQuery("", axis(0))) == []
        assert backend.health() == BackendHealth({"segment": 0, "insight": 0})

    def test_an_empty_text_is_a_document(self, make_backend: MakeBackend) -> None:
        backend = fill(make_backend(), [segment("empty", "")])
        assert ids(backend.search_vector(SearchQuery("", axis(0)))) == ["empty"]
        assert backend.search_bm25(SearchQuery("anything")) == []

    # What is refused ------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "vector",
        [
            np.zeros(DIMENSION),
            np.full(DIMENSION, np.nan),
            np.full(DIMENSION, np.inf),
            np.ones(DIMENSION + 1),
        ],
    )
    def test_vectors_without_direction_are_refused(
        self, backend: SearchBackend, vector: NDArray[np.float32]
    ) -> None:
        with pytest.raises(PodcastScraperError):
            backend.upsert_segment([segment("bad", "bad")], vector[None])
        with pytest.raises(PodcastScraperError):
            backend.search_vector(SearchQuery("", vector))
        assert backend.fetch(["bad"]) == {}

    def test_a_document_of_another_tier_is_refused(self, backend: SearchBackend) -> None:
        with pytest.raises(PodcastScraperError):
            backend.upsert_insight([segment("bad", "bad")], axis(0)[None])

    @pytest.mark.parametrize(
        "doc_id",
        ["it's", 'say "hi"', "a:b c", "insight:1@ep:2", "' OR 1=1 --", "日本", "%_*", "x" * 1000],
    )
    def test_hostile_ids_are_ids(self, make_backend: MakeBackend, doc_id: str) -> None:
        documents = [segment(doc_id, "ice", speakers=(doc_id,)), segment("other", "ice")]
        backend = fill(make_backend(), documents)
        query = SearchQuery("ice", axis(0), Filters(persons=(doc_id,)))
        assert ids(backend.search_bm25(query)) == [doc_id]
        assert ids(backend.search_vector(query)) == [doc_id]
        backend.delete([doc_id])
        backend.create_indices()
        assert ids(backend.search_bm25(SearchQuery("ice"))) == ["other"]
        assert backend.fetch([doc_id, "other"]).keys() == {"other"}

    def test_a_long_text_is_searchable_to_its_end(self, make_backend: MakeBackend) -> None:
        text = "word " * 200_000 + "needle"
        backend = fill(make_backend(), [segment("long", text)])
        assert ids(backend.search_bm25(SearchQuery("needle"))) == ["long"]
        assert backend.fetch(["long"])["long"].text == text

    def test_text_without_spaces_between_words_is_found(self, make_backend: MakeBackend) -> None:
        documents = [segment("ja", "東京の港は凍った。"), segment("de", "Die Übersicht der Straße")]
        backend = fill(make_backend(), documents)
        assert ids(backend.search_bm25(SearchQuery("港は"))) == ["ja"]
        assert ids(backend.search_bm25(SearchQuery("ubersicht"))) == ["de"]
        quoted = SearchQuery("", axis(0), Filters(phrases=("の港",)))
        assert ids(backend.search_vector(quoted)) == ["ja"]
