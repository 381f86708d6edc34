"""How dates and times are written, instead of the language's own way."""
