import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CompetitorName } from "./clients/names.ts";

/** The folders that `pnpm bench:setup` installs into; the same from the source and from what is built of it. */
const FOLDER = fileURLToPath(new URL("../competitors/", import.meta.url));

/** What each competitor's client imports. */
export const COMPETITOR_MODULES: { readonly [name in CompetitorName]: readonly string[] } = {
  "raw-sdk-v1": [
    "@modelcontextprotocol/sdk/client/index.js",
    "@modelcontextprotocol/sdk/client/stdio.js",
    "@modelcontextprotocol/sdk/client/streamableHttp.js",
  ],
  "ai-sdk": ["@ai-sdk/mcp", "@ai-sdk/mcp/mcp-stdio"],
  langchain: ["@langchain/mcp-adapters"],
  mastra: ["@mastra/mcp"],
  "mcp-use": ["mcp-use/client"],
  mcporter: ["mcporter"],
  "openai-agents": ["@openai/agents"],
};

/** What an installation leaves behind when it is complete. */
export interface InstallationRecord {
  /** The `package.json` that was installed. */
  readonly pinned: string;
  /** Where each module is, relative to the folder. */
  readonly modules: Readonly<Record<string, string>>;
}

/** The folder of a competitor, with the `package.json` that pins it. */
export function competitorFolder(name: CompetitorName): string {
  return join(FOLDER, name);
}

/** Where an installation is recorded: it goes with what it tells of. */
export function recordFile(folder: string): string {
  return join(folder, "node_modules", ".bench.json");
}

/** Where the modules of an installation are, by their specifiers; `undefined` if it is not complete, or not as it is pinned now. */
export function installedModules(folder: string): Record<string, string> | undefined {
  const file = recordFile(folder);
  if (!existsSync(file)) return undefined;
  const { pinned, modules } = JSON.parse(readFileSync(file, "utf8")) as InstallationRecord;
  if (pinned !== pinnedManifest(folder)) return undefined;
  const entries = Object.entries(modules);
  return Object.fromEntries(
    entries.map(([specifier, path]) => [specifier, pathToFileURL(join(folder, path)).href]),
  );
}

/** The text of the `package.json` that pins a competitor. */
export function pinnedManifest(folder: string): string {
  return readFileSync(join(folder, "package.json"), "utf8");
}

/** The version of each package that a competitor's `package.json` pins, in one line. */
export function pinnedVersions(folder: string): string {
  const { dependencies } = JSON.parse(pinnedManifest(folder)) as { dependencies: Record<string, string> };
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}
