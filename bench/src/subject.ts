import { CLIENT_NAMES, type ClientName } from "./clients/names.ts";

/** Who is measured: a client, one that starts from a catalog, a part of Jackfield, or the bare runtime reading the catalog's file. */
export type Subject =
  | ClientName
  | "jackfield-catalog"
  | "mastra-catalog"
  | "discovery"
  | "tool-cache"
  | "bare-node";

/** Who is measured from the start of its process. */
export type Starter = Exclude<Subject, "discovery" | "tool-cache">;

/** The clients that can start from a catalog, by what they are called then. */
export const CATALOG_CLIENTS = {
  "jackfield-catalog": "jackfield",
  "mastra-catalog": "mastra",
} as const satisfies Partial<Record<Subject, ClientName>>;

/** What the tables and charts call them. */
export const LABELS: { readonly [subject in Subject]: string } = {
  jackfield: "Jackfield",
  "jackfield-catalog": "Jackfield, catalog",
  "jackfield-ai-sdk": "Jackfield, AI SDK tools",
  "jackfield-langchain": "Jackfield, LangChain tools",
  "raw-sdk": "raw SDK v2",
  "raw-sdk-v1": "raw SDK v1",
  "hand-written": "hand-written",
  "ai-sdk": "@ai-sdk/mcp",
  langchain: "@langchain/mcp-adapters",
  mastra: "@mastra/mcp",
  "mastra-catalog": "@mastra/mcp, catalog",
  "mcp-use": "mcp-use",
  mcporter: "mcporter",
  "openai-agents": "@openai/agents",
  discovery: "discovery",
  "tool-cache": "tool cache",
  "bare-node": "bare Node, SQLite",
};

/** The clients of a run in the order of the tables. */
export function inOrder(clients: readonly ClientName[]): ClientName[] {
  return CLIENT_NAMES.filter((name) => clients.includes(name));
}

/** Those of the clients that can start from a catalog, as what they are called then. */
export function catalogStarters(clients: readonly ClientName[]): (keyof typeof CATALOG_CLIENTS)[] {
  const starters = ["jackfield-catalog", "mastra-catalog"] as const;
  return starters.filter((starter) => clients.includes(CATALOG_CLIENTS[starter]));
}
