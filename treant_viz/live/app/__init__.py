"""The explorers as one page for people without notebooks: `treant-viz app`."""
