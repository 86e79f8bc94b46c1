"""When this version of the tool was released: the day at which it judges what upstream still maintains.

No clock is read, so that the same version says the same of the same stack on every day.
"""

from datetime import date

RELEASED = date(2026, 11, 26)
"""Facts about upstream's support and vulnerabilities are those of this day."""
