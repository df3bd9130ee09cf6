"""What templates show, computed from records: turns, ribbons, timelines, facet links."""
