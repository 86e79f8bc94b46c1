"""Types of pods' further networks: attachments and their addresses."""
