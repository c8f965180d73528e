"""The verb by which a person and the model see what belongs to what."""

from ralph_mem.memory.facts import relations as known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked

NOTHING = "Nothing is known here of what belongs to what."
NO_SUCH = "There is no relation with that name here; /mem relations lists those that are believed most."


def relations(asked: "Asked") -> str:
    """List the relations that are believed most, or those in which a label stands."""
    label = asked.text.strip()
    stores = asked.reader().stores
    most_believed = "\n".join([text for text in [known.told(store, asked.now) for store in stores] if text])
    if not label or not most_believed:
        return most_believed or NOTHING
    found = [
        each for store in stores for parts in ((label, "", ""), ("", "", label)) for each in known.listed(store, asked.now, parts)
    ]
    return "\n".join([known.line(each) for each in found]) or NO_SUCH
