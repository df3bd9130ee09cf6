"""Evaluation: systems by name, query sets, measures, and paired statistics (RFC-100)."""
