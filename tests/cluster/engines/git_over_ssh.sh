#!/bin/sh
# What a Git host has its account run, whatever is asked for: hand out the repository whose path is $1, from the folder $2.
# With or without a slash in front it is the same path, as at GitHub or GitLab.
case "$SSH_ORIGINAL_COMMAND" in
  "git-upload-pack '$1'" | "git-upload-pack '/$1'") exec git-upload-pack "$2" ;;
esac
echo "nothing here for: $SSH_ORIGINAL_COMMAND" >&2
exit 1
