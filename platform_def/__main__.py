"""`python -m platform_def` is `platformctl`."""

from platform_def.cli.main import main

main()
