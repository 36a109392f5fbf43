"""How good a policy is: any of them, on the same samples, by the same measures."""
