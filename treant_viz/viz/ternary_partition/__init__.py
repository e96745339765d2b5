"""Which rows are surely left, surely right, or up to the attacker."""
