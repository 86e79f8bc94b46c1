"""What `platformctl explain` prints: of a value, an object, an API. No rendering of pages."""
