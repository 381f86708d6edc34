"""Files that leave the house, written whole or not at all: how far they are, and why one was not written."""
