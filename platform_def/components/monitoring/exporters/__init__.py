"""Tables of exporters whose series other components join with their own."""
