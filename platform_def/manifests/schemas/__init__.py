"""What an API server accepts of an object: core kinds by their Kubernetes version, custom ones by their CRD.

Unknown fields are refused, as the server does with `fieldValidation=Strict`. CEL rules
of custom kinds are evaluated apart (`ObjectSchema.rules`), on objects that are otherwise right.
"""

from platform_def.manifests.schemas.store import Schemas
from platform_def.manifests.schemas.validator import Mismatch, ObjectSchema

__all__ = ["Mismatch", "ObjectSchema", "Schemas"]
