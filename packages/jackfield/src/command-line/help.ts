export const HELP = `jackfield: the MCP servers you have, from the command line

Usage: jackfield [command] [options]

Commands
  status                 which servers are up (the default)
  tools [SERVER]         the tools on offer; --tokens adds an estimate of what each costs
  call TOOL [JSON|-]     calls a tool; "-" reads the arguments from standard input
  verify                 compares servers and tools with mcp.lock; --write makes it, --lock FILE names another
  approve [NAME]         shows what a project brings and nobody has approved, and asks about each; NAME --yes approves unasked
  config list            every definition that is found, and which of them count; nothing is started
  config parse FILE      one file in the dialect of --host HOST, values as written; further files are weaker layers
  cache list             what the catalog of tools knows, without connecting anything
  cache clear [NAME]     forgets what it knows of a server, or of all
  cache path             the directory it is kept in

Options
  --config FILE          a file in the "mcpServers" form; may be repeated, the first is the strongest
  --mcp-server NAME=JSON a server given here; beats the files; may be repeated
  --cwd DIR              what relative paths are relative to, and where projects are looked for
  --hosts LIST           whose files are read, for example claude-code,cursor; or all
  --host HOST            whose dialect the file of "config parse" is in
  --no-discover          looks for no files beside those named
  --cache DIR            where the catalog of tools is kept
  --json                 one JSON document on standard output, everything else on standard error
  --verbose              says on standard error what the runtime does
  --help, --version

Exit codes: 0 all is well; 1 something is not up, is not as it was locked, or could not be done; 2 the tool answered with an error.

Examples
  jackfield --config .mcp.json
  jackfield tools --config .mcp.json --json
  jackfield call mcp__files__read_file '{"path":"README.md"}' --config .mcp.json
`;
