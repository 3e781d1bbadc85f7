"""The command line: one file per command, thin. Parse, call the library, render, exit code."""
