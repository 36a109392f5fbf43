"""The report: makes one self-contained page of records of matches.

`folder` reads and writes the folder of a report, `digest` reduces a record to what the page shows,
`sections`, `goals`, `inside` and `curved` make the parts of the page, `page` writes it as HTML and
Markdown.
"""
