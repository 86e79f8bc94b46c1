"""What a key of an object store may do with a bucket, as JSON: `keys.py BUCKET PREFIX`. The environment has the store and the key."""

import json
import sys

import boto3
from botocore.exceptions import ClientError

BUCKET, PREFIX = sys.argv[1:]
STORE = boto3.client("s3")


def told(call, **arguments):
    """With which error a call is refused; empty where it is not."""
    try:
        call(Bucket=BUCKET, **arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""


files = [each["Key"] for each in STORE.list_objects_v2(Bucket=BUCKET, Prefix=PREFIX)["Contents"]]
told_of = {
    "get": told(STORE.get_object, Key=files[0]),
    "put": told(STORE.put_object, Key=f"{PREFIX}/other", Body=b"mine"),
    "overwrite": told(STORE.put_object, Key=files[0], Body=b"mine"),
    "delete": told(STORE.delete_object, Key=files[0]),
    "upload": told(STORE.create_multipart_upload, Key=f"{PREFIX}/large"),
    "drop": told(STORE.delete_bucket),
}
print(json.dumps(told_of))
