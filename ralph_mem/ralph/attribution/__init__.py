"""Tell what a loop's programs wrote in a shared tree from what the person did there meanwhile."""
