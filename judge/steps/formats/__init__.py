"""Other formats of answers, each read as the same stream of native records that JSON Lines is."""
