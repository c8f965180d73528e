"""The verb by which a person and the model see what belongs to what."""

from ralph_mem.memory.facts import relations as known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked

NOTHING = "Nothing is known here of what belongs to what."


def relations(asked: "Asked") -> str:
    """List the relations that are believed most, or those in which a label stands."""
    label = asked.text.strip()
    stores = asked.reader().stores
    if not label:
        return "\n".join([text for text in [known.told(store, asked.now) for store in stores] if text]) or NOTHING
    found = [
        each for store in stores for parts in ((label, "", ""), ("", "", label)) for each in known.listed(store, asked.now, parts)
    ]
    return "\n".join([known.line(each) for each in found]) or NOTHING
