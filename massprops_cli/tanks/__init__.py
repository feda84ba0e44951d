"""Liquids in the tanks of a table: ``[tank.NAME]``, depletion, schedules of mass, centre and inertia."""
