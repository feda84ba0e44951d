"""What commands share: configuration, reading, reporting, writing."""
