"""Images: where they are pulled from, under which tag, and whether they are there."""
