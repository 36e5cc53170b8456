"""What a training runtime really did, beside what was planned."""
