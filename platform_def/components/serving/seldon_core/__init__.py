"""Seldon Core: models as graphs of predictors behind the stack's gateway."""
