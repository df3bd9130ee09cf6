"""Bring your own podcasts: feeds and transcripts into artifacts."""
