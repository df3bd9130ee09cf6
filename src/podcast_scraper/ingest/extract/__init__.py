"""From a transcript to people, entities, topics and insights, without a language model."""
