"""Pictures of a schedule document: terminal, SVG, HTML page and trace."""
