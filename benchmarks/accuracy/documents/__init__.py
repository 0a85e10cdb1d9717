"""How right the engine is on answers that cite documents: which claims their passages support, which quotes stand where they should."""
