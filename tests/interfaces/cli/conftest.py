"""What every test of the command line may start from."""

from tests.interfaces.cli.situations import a_newcomer, a_person, as_an_ordinary_owner, lived_in

__all__ = ["a_newcomer", "a_person", "as_an_ordinary_owner", "lived_in"]
