"""Fits a line on all executors: each sums up the gradient of its own part of the data, and says where it did so."""

import json
import socket
import sys

from pyspark.sql import SparkSession

PARTS, STEPS = 4, int(sys.argv[1]) if sys.argv[1:] else 20


def part(number):
    """Points of a line, other ones in each part."""
    return [((number * 17 + each) % 64 / 32 - 1, 3 * ((number * 17 + each) % 64 / 32 - 1) - 1) for each in range(16)]


def gradient(points, slope, start):
    """Sums over one part, and the host that made them."""
    errors = [(slope * x + start - y, x) for x, y in points]
    sums = [sum(e**2 for e, _ in errors), sum(2 * e * x for e, x in errors), sum(2 * e for e, _ in errors)]
    return (*sums, len(errors), socket.gethostname())


def main():
    """Train."""
    session = SparkSession.builder.getOrCreate()
    if STEPS < 1:
        raise SystemExit("no steps")
    parts = session.sparkContext.parallelize(range(PARTS), PARTS).map(part).cache()
    slope = start = 0.0
    for _ in range(STEPS):
        found = parts.map(lambda points, s=slope, b=start: gradient(points, s, b)).collect()
        count = sum(each[3] for each in found)
        loss = sum(each[0] for each in found) / count
        slope -= 0.5 * sum(each[1] for each in found) / count
        start -= 0.5 * sum(each[2] for each in found) / count
        # One write a line: Spark gives Python no buffer, and what the driver itself says may come between two.
        sys.stdout.write(json.dumps({"loss": loss, "hosts": sorted({each[4] for each in found})}) + "\n")
        sys.stdout.flush()
    session.stop()


if __name__ == "__main__":
    main()
