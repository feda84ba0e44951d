"""Robot descriptions: links, joints and inertials as their files state them, and their tables."""
