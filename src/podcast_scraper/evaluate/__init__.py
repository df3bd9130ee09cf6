"""Experiments: systems, query sets, measures, paired statistics and reports (RFC-100)."""
