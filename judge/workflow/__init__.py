"""The journey, one short function a step."""
