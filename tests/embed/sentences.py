"""Twenty sentences whose vectors guard the packaged encoder, the last two in other scripts."""

SENTENCES = (
    "The bakery starts its ovens at three in the morning.",
    "We moved the whole database to a single SQLite file and nobody noticed.",
    "Why did the bees leave the hive in October?",
    "She has been repairing church organs for thirty years.",
    "Interest rates went up again, and the house prices did not care.",
    "A good trail shoe lasts about eight hundred kilometres.",
    "I disagree: remote teams write better documents because they have to.",
    "The patch fixed the memory leak but doubled the start-up time.",
    "Sourdough needs patience, flour, water and a warm kitchen.",
    "The glacier lost four metres of ice in one summer.",
    "Nobody reads the manual until something catches fire.",
    "Our guest today designs bicycles for people with one arm.",
    "They tuned the piano twice before the concert.",
    "The vaccine trial was stopped early because it worked.",
    "Is open source a business model or a way of working?",
    "He counted nightingales along the canal for a decade.",
    "Um, so, yeah, I mean, it was, like, a really long winter.",
    "BM25 still beats most embeddings on exact part numbers such as QX-4417.",
    "Die Brücke wurde nach dem Hochwasser neu gebaut.",
    "東京の朝はとても静かだ。",
)
