"""The write, ask and router roles: by rules, by a prompted model, by a trained one."""
