"""URDF and SDF as mechanisms: exact positions, rational attitudes."""
