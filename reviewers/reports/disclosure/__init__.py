"""Reports that disclose less: masked ones for external auditors, and de-identified ones."""
