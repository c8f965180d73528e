"""why, preview: what was told and what would be told, for which reasons and at which price."""

import time
from typing import Annotated, Any

import typer

from ralph_mem import compressor, moments, recall
from ralph_mem import why as reasons
from ralph_mem.cli import printing
from ralph_mem.cli.options import Json, Project
from ralph_mem.cli.reading import reader_of

commands = typer.Typer()
GIST_TOKENS = 24


@commands.command()
def why(
    memory: Annotated[str, typer.Argument(metavar="ID", help="Only the receipts that name this memory.")] = "",
    last: Annotated[int, typer.Option("--last", "-n", min=1, max=1000, help="How many receipts.")] = 5,
    session: Annotated[str, typer.Option("--session", "-s", help="Of this session.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Show what was told to the model, why, what it cost, and what just missed.

    Example: ralph-mem why --last 1
    """
    reader = reader_of(project)
    found = reasons.receipts(reader, last, session, memory)
    if memory and not found:
        recall.find(reader, memory)  # says so where there is no such memory
    if json:
        printing.as_json([_receipt_facts(receipt) for receipt in found])
        return
    for receipt in reversed(found):
        prompt = f' for "{compressor.cut(" ".join(receipt.prompt.split()), GIST_TOKENS)}"' if receipt.prompt else ""
        printing.text(f"{moments.when(receipt.at)}  {receipt.event}{prompt}: {receipt.tokens} of {receipt.budget} tokens")
        _print_lines(receipt.lines)
    if not found:
        printing.text("Nothing was told yet.")


@commands.command()
def preview(
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT", help="What you would say.")] = [],  # noqa: B006
    project: Project = "",
    json: Json = False,
) -> None:
    """Show what a new session would be told now, at its start and at a prompt; nothing is written.

    Example: ralph-mem preview "the login fails again after the upgrade"
    """
    found = reasons.preview(reader_of(project), " ".join(prompt), time.time_ns() // 1_000_000)
    if json:
        printing.as_json([_preview_facts(each) for each in found])
        return
    for each in found:
        printing.text(f"{each.event}: {each.tokens} of {each.budget} tokens" if each.text else f"{each.event}: nothing")
        printing.text(each.text) if each.text else None
        _print_lines(each.lines)


def _print_lines(lines: list[reasons.Line]) -> None:
    for line in lines:
        gist = compressor.gist(line.row, GIST_TOKENS) if line.row else "(forgotten)"
        cost = "missed" if line.outcome == "missed" else f"{line.outcome}, {line.tokens} tokens"
        if line.evidence or line.score:
            cost += f", evidence {line.evidence}, score {line.score:.2f}"
        marked = f", marked wrong {moments.when(line.misled_at)}" if line.misled_at else ""
        printing.text(f"  {line.memory}  {cost}{marked}: {gist}")


def _receipt_facts(receipt: reasons.Receipt) -> dict[str, Any]:
    return {
        "session": receipt.session, "event": receipt.event, "at": receipt.at, "budget": receipt.budget, "tokens": receipt.tokens,
        "prompt": receipt.prompt, "items": [_line_facts(line) for line in receipt.lines],
    }  # fmt: skip


def _preview_facts(each: reasons.Preview) -> dict[str, Any]:
    items = [_line_facts(line) for line in each.lines]
    return {"event": each.event, "budget": each.budget, "tokens": each.tokens, "text": each.text, "items": items}


def _line_facts(line: reasons.Line) -> dict[str, Any]:
    return {
        "memory": line.memory, "outcome": line.outcome, "score": line.score, "evidence": line.evidence, "tokens": line.tokens,
        "marked_wrong_at": line.misled_at, "gist": compressor.gist(line.row, GIST_TOKENS) if line.row else None,
    }  # fmt: skip
