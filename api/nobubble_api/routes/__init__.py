"""What clients see: one file for each kind of thing that they ask for."""
