"""Bodies from triangle meshes: integrals, defects, uncertainties, voxels."""
