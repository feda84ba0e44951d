"""Items of a table as arrays: masses, centres, inertia, quantities, growth, uncertainties and their columns."""
