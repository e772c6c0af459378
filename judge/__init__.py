"""judge: an LLM judge is a measuring instrument; no figure of it without what people say of it."""
