"""Reading a corpus directory: files to records, with a report of everything that was not read."""
