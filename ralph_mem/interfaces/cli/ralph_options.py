"""Give a command the options of a loop as the loop declares them."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ralph_mem.ralph import options
from ralph_mem.ralph.options import FLAG, LIST, Option

TYPES = {FLAG: (bool, False), LIST: (list[str], [])}


def taking(verb: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator by which a command takes the options of `verb`; it gets them as `given`, as `options.meant` takes them."""
    chosen = {_parameter(each): each for each in options.of(verb)}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**typed: Any) -> None:
            given = {each.name: typed.pop(name) for name, each in chosen.items()}
            command(**typed, given=given)

        own = [each for each in inspect.signature(command, eval_str=True).parameters.values() if each.name != "given"]
        first = [each for each in own if each.default is inspect.Parameter.empty or _is_argument(each)]
        rest = [each for each in own if each not in first]
        every = [*first, *[_declared(name, each) for name, each in chosen.items()], *rest]
        run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined] # typer reads the one, and
        run.__annotations__ = {each.name: each.annotation for each in every}  # the other
        return run

    return decorate


def _is_argument(parameter: inspect.Parameter) -> bool:
    return any(isinstance(each, typer.models.ArgumentInfo) for each in getattr(parameter.annotation, "__metadata__", ()))


def _parameter(option: Option) -> str:
    return str(option.name.strip("-").replace("-", "_"))


def _declared(name: str, option: Option) -> inspect.Parameter:
    kind, default = TYPES.get(option.kind, (str, ""))
    typed = {"metavar": option.metavar} if option.metavar else {}
    annotation = Annotated[kind, typer.Option(option.name, **typed, help=option.help)]  # type: ignore[valid-type]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)
