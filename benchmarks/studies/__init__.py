"""What is measured: each module is one question with its jobs and its table."""
