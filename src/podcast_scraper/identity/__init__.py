"""Who and what a name means: slugs, canonical ids, the registry, the resolver and the ledger."""
