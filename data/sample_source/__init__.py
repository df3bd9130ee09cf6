"""The authoring side of the sample corpus: scripts in, artifacts of every layer out."""
