#!/bin/sh
# Katib's interface at the address of its pod alone.
exec katib-ui "$@" --host="$(hostname -i)"
