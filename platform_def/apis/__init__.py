"""API types by project: custom resources as TypedDicts, from which CRDs come; core kinds in `core`. No mechanism."""
