"""The files that judge the work of a loop, and the confirmation of a success by those of its start."""
