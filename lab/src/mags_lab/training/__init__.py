"""Training of the policy models: chains of memory, rewards, SFT, GRPO, PPO (extra `train`)."""
