"""The only door to model endpoints."""
