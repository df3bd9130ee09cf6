"""The one error tree of the package.

Every error says what is wrong, which object caused it (``subject``) and how to mend it (``mend``).
Errors of drivers and libraries are translated at the module that calls them and never travel on::

    PodcastScraperError
    ├── UsageError                 wrong arguments or parameters               (exit 2, HTTP 400)
    │   ├── QueryError             a query that cannot be run
    │   └── ConfigurationError     an unknown key, a contradiction, a value out of range
    ├── NotFoundError              an id that the corpus does not hold         (HTTP 404)
    ├── ArtifactError              one file of a corpus cannot be read
    ├── ColumnError                a KG column is present but malformed
    ├── ModelError                 a model is missing, altered, or gives unusable vectors
    ├── CorpusError                a corpus directory that cannot be used
    ├── IndexStateError            an index is missing, of another schema, torn, or locked
    │   ├── IndexMissingError
    │   ├── IndexMismatchError
    │   ├── IndexDamagedError
    │   ├── IndexLockedError
    │   ├── EngineUnavailableError  a search engine on another machine does not answer
    │   └── StoreUnavailableError   a database on a server does not answer
    ├── EvaluationError            a query set, a run or a system that cannot be evaluated
    └── IngestError                a feed or a transcript that cannot be imported
"""

from __future__ import annotations


class PodcastScraperError(Exception):
    """Root of the tree.

    ``message`` says what is wrong, ``mend`` what the reader can do about it (one sentence, or None
    where the message says it), ``subject`` is the path, id or value that caused it.
    """

    exit_code = 1

    def __init__(self, message: str, *, mend: str | None = None, subject: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend
        self.subject = subject

    def __str__(self) -> str:
        return f"{self.message} {self.mend}" if self.mend else self.message

    @property
    def code(self) -> str:
        """Stable machine-readable name, the ``error.code`` of the HTTP API: ``IndexMissing``…"""
        return type(self).__name__.removesuffix("Error")


class UsageError(PodcastScraperError):
    """Wrong arguments or parameters."""

    exit_code = 2


class QueryError(UsageError):
    """A query that cannot be run, such as an empty one without filters."""


class ConfigurationError(UsageError):
    """An unknown key, a contradiction, or a value out of range."""


class NotFoundError(PodcastScraperError):
    """An id that the corpus does not hold."""


class ArtifactError(PodcastScraperError):
    """One file of a corpus cannot be read; the others can.

    ``position`` says where in the file: ``offset`` (0-based), and ``line`` and ``column`` (1-based)
    where the text could be decoded.
    """

    def __init__(
        self,
        message: str,
        *,
        mend: str | None = None,
        subject: object = None,
        position: dict[str, int] | None = None,
    ) -> None:
        super().__init__(message, mend=mend, subject=subject)
        self.position = position


class ColumnError(PodcastScraperError):
    """A KG column is present but malformed."""


class ModelError(PodcastScraperError):
    """A model is missing, altered, or gives unusable vectors."""


class CorpusError(PodcastScraperError):
    """A corpus directory that cannot be used."""


class IndexStateError(PodcastScraperError):
    """An index cannot be opened or built in its present state."""


class IndexMissingError(IndexStateError):
    """There is no index of this corpus yet."""


class IndexMismatchError(IndexStateError):
    """The index was built by another schema or with another model."""


class IndexDamagedError(IndexStateError):
    """The parts of the index are torn, corrupt or disagree."""


class IndexLockedError(IndexStateError):
    """Another process is building this index."""


class EngineUnavailableError(IndexStateError):
    """A search engine on another machine does not answer, or refuses what it is asked."""


class StoreUnavailableError(IndexStateError):
    """The database that keeps the records does not answer."""


class EvaluationError(PodcastScraperError):
    """A query set, a run or a system that cannot be evaluated."""


class IngestError(PodcastScraperError):
    """A feed or a transcript that cannot be imported."""
