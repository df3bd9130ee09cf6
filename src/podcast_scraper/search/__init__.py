"""From a query to explained results: tiers, stages, fusion, compound results, graph, relations."""
