"""Pictures of results, drawn as SVG."""
