"""The grounded insight layer (GIL): reading and writing ``*.gi.json`` artifacts."""
