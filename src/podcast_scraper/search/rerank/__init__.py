"""Rerankers: they reorder the head of the fused list and nothing else (RFC-100)."""
