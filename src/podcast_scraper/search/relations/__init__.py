"""The relational layer in parts (RFC-094); :mod:`..relational_queries` is its public face."""
