"""HAMi: shares of cards by memory and cores."""
