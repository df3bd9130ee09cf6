"""What is kept on disk: the SQLite seam, schema, index generations and a corpus' state."""
