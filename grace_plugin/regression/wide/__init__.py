"""The search among many variables: from rows, effect by effect, without a matrix of all candidates."""
