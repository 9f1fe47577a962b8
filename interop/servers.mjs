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

/** An application of nobody: the servers read the file before they list their tools. */
const GOOGLE_KEYS = {
  "keys.json": JSON.stringify({
    installed: { client_id: "dummy", client_secret: "dummy", redirect_uris: ["http://localhost:3000"] },
  }),
};
const keysAt =
  (name) =>
  ({ folder }) => ({ [name]: `${folder}/keys.json` });

const textOf = ({ content }) => content.map((block) => block.text ?? "").join("\n");

/**
 * `tools`: how many the pinned version lists to a client without handlers. `call`: a request it can answer offline, and
 * whether the answer is right. The tokens are dummies: nothing but the call of a tool would use them. A server that is
 * `small` comes with the workspace, too. One that `isModern` speaks 2026-07-28 as well as the versions before. `files`: what stands in its folder. `remote`: how it is reached over HTTP: what it is started with so that it listens on
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
    isModern: true,
    remote: [
      { transport: "http", path: "/mcp", args: ({ port }) => ["--transport", "http", "--port", `${port}`] },
    ],
    tools: 2,
  },
  {
    name: "@bytebase/dbhub",
    isModern: true,
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
  { name: "@antv/mcp-server-chart", tools: 27 },
  { name: "@circleci/mcp-server-circleci", env: { CIRCLECI_TOKEN: "dummy" }, tools: 13 },
  { name: "@drawio/mcp", tools: 7 },
  { name: "@hubspot/mcp-server", env: { PRIVATE_APP_ACCESS_TOKEN: "pat-dummy" }, tools: 21 },
  { name: "@mapbox/mcp-server", env: { MAPBOX_ACCESS_TOKEN: "pk.eyJ1IjoiYSJ9.dummy" }, tools: 8 },
  { name: "@modelcontextprotocol/server-gitlab", env: { GITLAB_PERSONAL_ACCESS_TOKEN: "dummy" }, tools: 9 },
  { name: "@modelcontextprotocol/server-google-maps", env: { GOOGLE_MAPS_API_KEY: "dummy" }, tools: 7 },
  {
    name: "@modelcontextprotocol/server-pdf",
    args: ["--stdio"],
    tools: 9,
    call: { tool: "list_pdfs", args: {}, isRight: ({ content }) => content.length > 0 },
  },
  {
    name: "@modelcontextprotocol/server-slack",
    env: { SLACK_BOT_TOKEN: "xoxb-dummy", SLACK_TEAM_ID: "T0" },
    tools: 8,
  },
  { name: "@pinecone-database/mcp", env: { PINECONE_API_KEY: "dummy" }, tools: 9 },
  { name: "@sentry/mcp-server", env: { SENTRY_ACCESS_TOKEN: "dummy" }, tools: 22 },
  {
    name: "@winor30/mcp-server-datadog",
    env: { DATADOG_API_KEY: "dummy", DATADOG_APP_KEY: "dummy" },
    tools: 21,
  },
  { name: "airtable-mcp-server", env: { AIRTABLE_API_KEY: "pat.dummy" }, tools: 16 },
  {
    name: "chrome-devtools-mcp",
    args: [
      "--headless",
      "--isolated",
      "--chromeArg=--no-sandbox",
      ...(CHROMIUM ? ["--executablePath", CHROMIUM] : []),
    ],
    tools: 32,
    call: CHROMIUM && {
      tool: "list_pages",
      args: {},
      isRight: (result) => textOf(result).includes("about:blank"),
    },
  },
  { name: "firecrawl-mcp", env: { FIRECRAWL_API_KEY: "fc-dummy" }, tools: 26 },
  { name: "mcp-server-kubernetes", tools: 23 },
  { name: "mongodb-mcp-server", isModern: true, tools: 27 },
  { name: "tavily-mcp", env: { TAVILY_API_KEY: "tvly-dummy" }, tools: 5 },
  { name: "xcodebuildmcp", args: ["mcp"], tools: 24 },
  {
    name: "@cocal/google-calendar-mcp",
    files: GOOGLE_KEYS,
    env: keysAt("GOOGLE_OAUTH_CREDENTIALS"),
    tools: 13,
  },
  {
    name: "@elastic/mcp-server-elasticsearch",
    env: { ES_URL: "http://127.0.0.1:9", ES_API_KEY: "dummy" },
    tools: 4,
  },
  {
    name: "@gongrzhe/server-gmail-autoauth-mcp",
    files: GOOGLE_KEYS,
    env: keysAt("GMAIL_OAUTH_PATH"),
    tools: 19,
  },
  { name: "@modelcontextprotocol/server-puppeteer", tools: 7 },
  { name: "@shopify/dev-mcp", tools: 5 },
  { name: "exa-mcp-server", env: { EXA_API_KEY: "dummy" }, tools: 2 },
  { name: "figma-developer-mcp", args: ["--stdio"], env: { FIGMA_API_KEY: "dummy" }, tools: 2 },
  { name: "linear-mcp-server", env: { LINEAR_API_KEY: "dummy" }, tools: 5 },
  { name: "next-devtools-mcp", tools: 4 },
  { name: "nx-mcp", tools: 1 },
];
