"""The `farhop` command in the environment of Python."""

import sys


def main() -> None:
    from ._farhop import command

    sys.stdout.flush()
    sys.exit(command(["farhop", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
