"""How to cite the method."""

BIBTEX = """\
@article{fesanghary_grace,
  title  = {GRACE: Gated Refinement for Accurate Causal Edge Discovery in High-Dimensional Time Series},
  author = {Fesanghary, Mohammad and Havaldar, Abhinav},
  note   = {Preprint}
}"""
