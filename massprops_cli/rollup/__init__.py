"""Tree × bodies → bodies: masses, centres, tensors and sigmas of every assembly; other columns, subtotals, what-if."""
