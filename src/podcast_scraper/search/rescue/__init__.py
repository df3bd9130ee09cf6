"""Graph rescue: what the graph found, appended below the base and never fused with it."""
