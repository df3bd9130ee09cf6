"""Engines behind the ``SearchBackend`` seam."""
