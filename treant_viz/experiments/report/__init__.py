"""Tables, figures, claims and the audit, made from stored results. Nothing here imports a learner."""
