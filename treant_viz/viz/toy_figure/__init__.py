"""The paper's overview figure, panel by panel."""
