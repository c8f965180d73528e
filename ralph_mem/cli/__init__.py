"""The command line `ralph-mem`: flags in, one verb called, text out."""
