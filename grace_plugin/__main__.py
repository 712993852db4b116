"""`python -m grace_plugin` is the command `grace`."""

from grace_plugin.cli import main

if __name__ == "__main__":
    main()
