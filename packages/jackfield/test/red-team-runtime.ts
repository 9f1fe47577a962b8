import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import type { ToolDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import {
  type ApprovalRule,
  type InjectionFinding,
  openToolPins,
  type PinFinding,
  type ToolPinsOptions,
} from "@jackfield/mcp-guard";
import { langchainTools } from "@jackfield/mcp-langchain";
import { type Mcp, type OpenMcpOptions, openMcp } from "../src/index.ts";
import type { TemporaryFolder } from "./fixture.ts";

const SERVER = fileURLToPath(new URL("./fixtures/hostile-server.mjs", import.meta.url));

/** What a hostile server answers to a call. */
export interface HostileAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  /** A line in place of the answer; `$ID` stands for the request's id. */
  readonly raw?: string;
  /** What it lists from then on; it says that its list has changed. */
  readonly lists?: readonly ToolDefinition[];
  /** What it asks its client before it answers. */
  readonly ask?: { readonly method: string; readonly params: object };
  /** What a modern server asks for in place of an answer, for ever. */
  readonly inputRequired?: object;
  /** How many log messages, and as many messages of progress, it sends before it answers. */
  readonly flood?: number;
  /** How long each of the log messages is at least. */
  readonly floodChars?: number;
  /** What else it sends before it answers. */
  readonly notify?: readonly object[];
  /** It ends in place of an answer. */
  readonly exits?: boolean;
}

/** What a hostile server says. */
export interface HostileScript {
  readonly tools: readonly ToolDefinition[];
  readonly answers?: Readonly<Record<string, HostileAnswer>>;
  readonly instructions?: string;
  /** Whether it speaks protocol 2026-07-28. */
  readonly isModern?: boolean;
  /** What it says its own version is. */
  readonly version?: string;
  /** Further members of its handshake and of its list of tools, and what it answers to other requests. */
  readonly handshake?: object;
  readonly listing?: object;
  readonly replies?: Readonly<Record<string, object>>;
}

/** What a hostile server received. */
export interface HostileRecord {
  readonly call?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly answer?: unknown;
  readonly state?: string;
}

/** A real child process that follows the script. */
export function hostileServer(folder: TemporaryFolder, name: string, script: HostileScript) {
  const recordTo = folder.file(`${name}.record`);
  const file = folder.file(`${name}.json`);
  writeFileSync(file, JSON.stringify({ ...script, recordTo }));
  writeFileSync(recordTo, "");
  return {
    entry: { command: process.execPath, args: [SERVER, file] },
    records: (): HostileRecord[] =>
      readFileSync(recordTo, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

export interface GuardSettings {
  readonly rule?: ApprovalRule;
  readonly pins?: ToolPinsOptions;
  readonly policies?: readonly ToolListPolicy[];
  /** Hears of findings as they are made. */
  readonly found?: (finding: InjectionFinding) => void;
}

/** A runtime with every guard, and what the guards have found. */
export interface GuardedRuntime {
  readonly mcp: Mcp;
  readonly findings: readonly InjectionFinding[];
  readonly drifts: readonly PinFinding[];
}

export async function openGuarded(
  options: OpenMcpOptions,
  { rule = "never", pins: pinOptions, policies = [], found }: GuardSettings = {},
): Promise<GuardedRuntime> {
  const findings: InjectionFinding[] = [];
  const drifts: PinFinding[] = [];
  const pins = await openToolPins({
    found: (drift) => void drifts.push(drift),
    refresh: (server) => mcp.refreshTools(server),
    ...pinOptions,
  });
  const mcp: Mcp = await openMcp({
    cache: false,
    approval: { calls: rule },
    use: policies.map((policy) => ({ policy })),
    ...options,
    guards: {
      mark: true,
      cleanResults: true,
      pins,
      found: (finding) => {
        findings.push(finding);
        found?.(finding);
      },
    },
  });
  return { mcp, findings, drifts };
}

/** What a model gets to read of a call, from both adapters, with boundaries that differ each time made alike. */
export async function seenByModels(mcp: Mcp, name: string): Promise<{ aiSdk: string; langchain: string }> {
  const aiTool = aiSdkTools(mcp)[name];
  const chainTool = langchainTools(mcp).find((tool) => tool.name === name);
  if (aiTool === undefined || chainTool === undefined) throw new Error(`No adapter offers ${name}.`);
  const output = await aiTool.execute({}, { toolCallId: "1" });
  const { value } = aiTool.toModelOutput({ output });
  const message = await chainTool.invoke({ type: "tool_call", id: "1", name, args: {} });
  return { aiSdk: readable(value), langchain: readable(message.content) };
}

/** What both adapters hand to a model of the tools of a server, or of all: names, titles, descriptions, schemas. */
export function offeredToModels(mcp: Mcp, server?: string): { aiSdk: string; langchain: string } {
  const isOwn = (name: string) =>
    server === undefined || mcp.tools().some((tool) => tool.name === name && tool.server === server);
  const forAiSdk = Object.entries(aiSdkTools(mcp)).flatMap(([name, { description, title, inputSchema }]) =>
    isOwn(name) ? [{ name, title, description, schema: inputSchema.jsonSchema }] : [],
  );
  const forChain = langchainTools(mcp).flatMap(({ name, description, schema }) =>
    isOwn(name) ? [{ name, description, schema }] : [],
  );
  return { aiSdk: JSON.stringify(forAiSdk), langchain: JSON.stringify(forChain) };
}

function readable(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/boundary=(\\?)"[0-9a-f]{16}/g, 'boundary=$1"…');
}
