"""What an operator is given in `deploy/`: that it says what the program does, and that it works."""
