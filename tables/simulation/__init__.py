"""A floor that plays by itself: terminals, dealers, players and a cage, for demonstrations and tests.

Everything that happens during the day goes through the HTTP API, as it would from real terminals; only
`setup` (employing people, putting tables on the floor, before there is a terminal) uses the services.
Beside the books stands a small physical world: trays, stacks, drop boxes and pockets, moved by hand as a
dealer moves chips. Counts are taken from there, never from the books, so the two check each other.
"""
