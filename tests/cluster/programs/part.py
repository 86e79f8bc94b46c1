"""Makes one part of a data set: a file with the squares of its share of numbers."""

import os
from pathlib import Path

part, parts = int(os.environ["JOB_COMPLETION_INDEX"]), int(os.environ["PARTS"])
folder = Path("/data/parts")
folder.mkdir(parents=True, exist_ok=True)
(folder / f"{part}.txt").write_text("".join(f"{number**2}\n" for number in range(part, 100, parts)))
