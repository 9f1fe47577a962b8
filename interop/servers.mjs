// The servers, how they are started, what they must list, and what they can answer without a network.
import { existsSync } from "node:fs";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

const PLAYWRIGHT = [
  "--headless",
  "--no-sandbox",
  "--isolated",
  ...(CHROMIUM ? ["--executable-path", CHROMIUM] : []),
];

const textOf = ({ content }) => content.map((block) => block.text ?? "").join("\n");

/**
 * `tools`: how many the pinned version lists to a client without handlers. `call`: a request it can answer offline, and
 * whether the answer is right. The tokens are dummies: nothing but the call of a tool would use them. A server that is
 * `small` comes with the workspace, too. `remote`: how it is reached over HTTP: what it is started with so that it listens on
 * a port, and the path of its endpoint. An entry for Streamable HTTP (`http`) also finds servers of the older transport.
 */
export const SERVERS = [
  {
    name: "@modelcontextprotocol/server-everything",
    small: true,
    args: ["stdio"],
    remote: [
      {
        transport: "http",
        path: "/mcp",
        args: ["streamableHttp"],
        env: ({ port }) => ({ PORT: String(port) }),
      },
      { transport: "sse", path: "/sse", args: ["sse"], env: ({ port }) => ({ PORT: String(port) }) },
      { transport: "http", path: "/sse", args: ["sse"], env: ({ port }) => ({ PORT: String(port) }) },
    ],
    tools: 12,
    call: {
      tool: "echo",
      args: { message: "hello" },
      isRight: (result) => textOf(result) === "Echo: hello",
    },
  },
  {
    name: "@modelcontextprotocol/server-filesystem",
    small: true,
    args: ({ folder }) => [folder],
    tools: 14,
    call: {
      tool: "list_directory",
      args: ({ folder }) => ({ path: folder }),
      isRight: (result) =>
        textOf(result).includes("[FILE] note.txt") && result.structuredContent !== undefined,
    },
  },
  {
    name: "@modelcontextprotocol/server-memory",
    small: true,
    env: ({ folder }) => ({ MEMORY_FILE_PATH: `${folder}/memory.json` }),
    tools: 9,
    call: {
      tool: "read_graph",
      args: {},
      isRight: ({ structuredContent }) => structuredContent?.entities?.length === 0,
    },
  },
  {
    name: "@modelcontextprotocol/server-sequential-thinking",
    small: true,
    tools: 1,
    call: {
      tool: "sequentialthinking",
      args: { thought: "One.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
      isRight: (result) => JSON.parse(textOf(result)).thoughtNumber === 1,
    },
  },
  {
    name: "@upstash/context7-mcp",
    remote: [
      { transport: "http", path: "/mcp", args: ({ port }) => ["--transport", "http", "--port", `${port}`] },
    ],
    tools: 2,
  },
  {
    name: "@bytebase/dbhub",
    args: ["--transport", "stdio", "--demo"],
    remote: [
      {
        transport: "http",
        path: "/mcp",
        args: ({ port }) => ["--transport", "http", "--port", `${port}`, "--demo"],
      },
    ],
    tools: 2,
    call: {
      tool: "execute_sql",
      args: { sql: "SELECT 40 + 2 AS answer" },
      isRight: (result) => /"answer":\s*42/.test(textOf(result)),
    },
  },
  { name: "@notionhq/notion-mcp-server", env: { NOTION_TOKEN: "ntn_dummy" }, tools: 24 },
  { name: "@zereight/mcp-gitlab", env: { GITLAB_PERSONAL_ACCESS_TOKEN: "dummy" }, tools: 118 },
  {
    name: "@playwright/mcp",
    args: PLAYWRIGHT,
    remote: [
      { transport: "http", path: "/mcp", args: ({ port }) => [...PLAYWRIGHT, "--port", `${port}`] },
      { transport: "sse", path: "/sse", args: ({ port }) => [...PLAYWRIGHT, "--port", `${port}`] },
    ],
    tools: 25,
    call: CHROMIUM && {
      tool: "browser_navigate",
      args: { url: "data:text/html,<title>Patched</title>" },
      isRight: (result) => textOf(result).includes("Patched"),
    },
  },
  {
    name: "@modelcontextprotocol/server-github",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "dummy" },
    tools: 26,
  },
];
