"""Which cluster tests a change makes due: by a hash of what each module reads, and a ledger of what was proven at which hash."""
