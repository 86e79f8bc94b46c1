"""KServe's language models: their controller, its webhooks, and the presets with start commands of our own."""
