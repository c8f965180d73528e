"""The MCP server, by which the agent of any client looks into the memory of its project."""
