"""What is made of stored results: tables, figures, claims, the audit. Nothing here imports a learner."""
