"""`python -m ralph_mem.cli`, where the command is not on PATH."""

from ralph_mem.cli.app import main

if __name__ == "__main__":
    main()
