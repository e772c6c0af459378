"""What a first reading of a foreign file notes down for the person who imports it."""

from collections import Counter
from dataclasses import dataclass, field

MOST = 200
"""Names that are kept; a file whose keys are data has any number."""


@dataclass
class Notes:
    """Filled while a file is read."""

    taken: dict[str, str] = field(default_factory=dict)
    """What each native key was taken from."""
    unmapped: Counter[str] = field(default_factory=Counter)
    """Columns or keys that nothing was taken from, with how many rows have them."""
    nulls: Counter[str] = field(default_factory=Counter)
    """Rows without a value, by native key."""
    said: Counter[str] = field(default_factory=Counter)
    """Other remarks, with how often each applied."""

    def leave(self, name: str) -> None:
        """Count a column that is not used."""
        if name in self.unmapped or len(self.unmapped) < MOST:
            self.unmapped[name] += 1
