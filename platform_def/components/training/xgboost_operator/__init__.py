"""XGBoost operator 0.2: runs XGBoostJob objects of a group of their own; legacy, archived upstream."""
