"""The parts of the cross-layer graph: rows, compressed adjacency, files, analysis, payloads."""
