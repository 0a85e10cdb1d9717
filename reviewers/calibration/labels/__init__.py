"""Labels for fitting: those of reviewers as a data set, their counts, and the import and export of label sets."""
