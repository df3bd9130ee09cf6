"""The tables beside the records that a search engine on another machine needs.

They are made from documents alone and belong to one generation, as the records do. An index whose
engines are embedded has none of them.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

SIDE_TABLES: Final = sa.MetaData()

# Terms are compared by code point: a range of them is a prefix.
_TERM: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# ``term`` is ``field:term``, ``documents`` how many hold it.
TERM_FREQUENCIES: Final = sa.Table(
    "term_frequencies",
    SIDE_TABLES,
    sa.Column("term", _TERM, primary_key=True),
    sa.Column("documents", sa.Integer, nullable=False),
)

# Of each field: over how many documents and tokens, and the mean length that vectors were made with
# (NULL until the first were made).
FIELD_LENGTHS: Final = sa.Table(
    "field_lengths",
    SIDE_TABLES,
    sa.Column("field", sa.Text, primary_key=True),
    sa.Column("documents", sa.BigInteger, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("average", sa.Float(53)),
)

# The exact terms of a document in their order, each between two spaces: what phrases are found in.
DOCUMENT_WORDS: Final = sa.Table(
    "document_words",
    SIDE_TABLES,
    sa.Column("key", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("described", sa.Text, nullable=False),
)
