"""The web application and its HTTP API."""
