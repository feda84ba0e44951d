"""Roll-up of bodies that are placed by poses, and the parts that uncertain poses have in a result."""
