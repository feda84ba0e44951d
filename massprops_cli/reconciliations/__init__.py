"""Mass lists reconciled with measurements."""
