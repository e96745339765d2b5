"""The course: notebooks made from their sources, opened in JupyterLab, read as a book."""
