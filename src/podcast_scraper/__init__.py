"""Search over spoken podcasts: who said what, when, and how views changed."""

__version__ = "0.1.0"
