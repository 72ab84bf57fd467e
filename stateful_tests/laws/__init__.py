"""The lists that hold together: design, Bend claims, predicates, machines, contracts, breaks; and their page."""
