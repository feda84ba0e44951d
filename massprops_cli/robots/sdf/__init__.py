"""SDF: models, links, joints and frames, read, posed and edited."""
