"""Any tree model in one common form: ours, scikit-learn's, LightGBM's."""
