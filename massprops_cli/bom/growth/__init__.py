"""Mass growth: what a basic mass is expected to gain until it is built, and what is predicted with it."""
