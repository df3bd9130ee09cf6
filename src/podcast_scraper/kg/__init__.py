"""The knowledge graph layer (KG): reading and writing ``*.kg.json`` artifacts."""
