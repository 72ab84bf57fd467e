"""A small, independent implementation of the part of Bend 2 that the model, the laws and the proofs use."""
