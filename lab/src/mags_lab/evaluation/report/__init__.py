"""The report: records of matches in, one page that needs nothing else out.

`folder` keeps what was played, `digest` brings a record down to what is shown of it, `sections`
says what stands on the page, `html` and `markdown` write it.
"""
