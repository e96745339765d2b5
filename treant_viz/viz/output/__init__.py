"""The files a picture can become: svg, pdf, png, html, dot."""
