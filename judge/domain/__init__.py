"""The nouns, frozen; they import nothing of ours."""
