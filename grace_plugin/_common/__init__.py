"""What every room uses: checks of options, files, progress, array types."""
