"""``python -m nobubble_cli``."""

from nobubble_cli.main import main

main()
