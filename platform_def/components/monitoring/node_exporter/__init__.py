"""node-exporter: metrics of machines."""
