"""Building an index generation from the records of a corpus."""
