/** Spellings of one URL, which all lead to the same place. */
export const SPELLINGS = [
  "https://evil.example/mcp",
  "HTTPS://EVIL.example/mcp",
  "https://evil.example:443/mcp",
  "https://evil.example\\mcp",
  "https:/evil.example/mcp",
  "https:evil.example/mcp",
  " https://evil.example/mcp",
  "https://evil.exa\tmple/mcp",
  "https://evil%2eexample/mcp",
  "https://u@evil.example/mcp",
  "https://u:p@evil.example:443/mcp",
  "https://evil.example./mcp",
  "https://evil.example/%6dcp",
  "https://evil.example/x/../mcp",
  "https://evil.example/mcp#x",
  "https://evil.example/mcp?",
];
