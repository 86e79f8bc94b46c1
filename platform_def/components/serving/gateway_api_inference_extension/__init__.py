"""The inference extension of Gateway API: pools of model servers, and its light picker."""
