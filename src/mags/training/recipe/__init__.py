"""From nothing to a nano that runs: samples, tokenizer, SFT, specialists, GRPO, export."""
