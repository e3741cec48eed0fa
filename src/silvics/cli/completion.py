"""Scripts for completion of commands and options in shells."""

from __future__ import annotations

import argparse


def _words(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return the options of each command; "" has the commands and general options."""
    found: dict[str, list[str]] = {"": _options(parser)}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found[""] = [*action.choices, *found[""]]
            found |= {name: _options(command) for name, command in action.choices.items()}
    return found


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [
        name for action in parser._actions for name in action.option_strings if name[:2] == "--"
    ]


def script_of(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return a script for a shell."""
    words = _words(parser)
    if shell == "fish":
        lines = [f"complete -c silvics -n __fish_use_subcommand -a '{' '.join(words[''])}'"]
        for command, options in words.items():
            for option in options if command else ():
                seen = f"'__fish_seen_subcommand_from {command}'"
                lines.append(f"complete -c silvics -n {seen} -l {option.removeprefix('--')}")
        return "\n".join(lines)
    cases = "\n".join(
        f'    {command}) words="{" ".join(options)}" ;;'
        for command, options in words.items()
        if command
    )
    body = (
        "_silvics() {\n"
        f'  local words="{" ".join(words[""])}"\n'
        '  case "${COMP_WORDS[1]}" in\n'
        f"{cases}\n"
        "  esac\n"
        '  [ "$COMP_CWORD" -gt 1 ] || '
        f'words="{" ".join(words[""])}"\n'
        '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))\n'
        "}\n"
        "complete -o default -F _silvics silvics"
    )
    return f"autoload -U +X bashcompinit && bashcompinit\n{body}" if shell == "zsh" else body
