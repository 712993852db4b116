"""The engine of the paper: a shared encoder, gated sums, a decoder for every effect. Needs torch."""
