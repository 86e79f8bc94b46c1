"""Updates that the API server refuses: a table of fields that cannot change once an object exists.

A row looks at one object before and after the change and needs no cluster. What it cannot know, such as whether a claim
is bound, it names as a question with the kubectl command that answers it. A real API server agrees with every row that
does not depend on live state (`tests/cluster/test_updates.py`).
"""
