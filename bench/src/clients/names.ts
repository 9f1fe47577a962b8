/** The clients that come with the workspace: Jackfield as a program calls it, the official SDK's client, and the bound for all. */
export const CORE_CLIENTS = ["jackfield", "raw-sdk", "hand-written"] as const;

/** Jackfield as a framework calls it. */
export const ADAPTERS = ["jackfield-ai-sdk", "jackfield-langchain"] as const;

/** The clients that `pnpm bench:setup` installs, each in a folder of this name. */
export const COMPETITORS = [
  "raw-sdk-v1",
  "ai-sdk",
  "langchain",
  "mastra",
  "mcp-use",
  "mcporter",
  "openai-agents",
] as const;

/** All clients that can be measured. */
export const CLIENT_NAMES = [...CORE_CLIENTS, ...ADAPTERS, ...COMPETITORS] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];
export type CompetitorName = (typeof COMPETITORS)[number];

/** Whether a name is that of a competitor. */
export function isCompetitor(name: string): name is CompetitorName {
  return COMPETITORS.some((competitor) => competitor === name);
}

/** Whether a client connects and reconnects in its own way; an adapter does as what it adapts does. */
export function hasOwnConnections(name: ClientName): boolean {
  return !ADAPTERS.some((adapter) => adapter === name);
}
