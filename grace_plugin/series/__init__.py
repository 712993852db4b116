"""Whatever people hand over as data, as rows in time order."""
