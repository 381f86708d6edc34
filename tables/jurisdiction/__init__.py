"""Jurisdiction profiles: what a regulator asks of a floor, as dated, versioned, immutable data."""
