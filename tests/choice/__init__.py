"""Which tests a change may break: what `make test CHANGED=REV` runs."""
