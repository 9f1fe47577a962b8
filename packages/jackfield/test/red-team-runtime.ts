import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ToolDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import {
  type ApprovalRule,
  callApproval,
  cleanResults,
  cleanTools,
  type InjectionFinding,
  limitResults,
  markResults,
  openToolPins,
  type PinFinding,
  type ToolPinsOptions,
  scanResults,
  scanTools,
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
  readonly then?: readonly ToolDefinition[];
  /** What it asks its client before it answers. */
  readonly ask?: { readonly method: string; readonly params: object };
  /** How many log messages it sends before it answers. */
  readonly flood?: number;
}

/** What a hostile server says. */
export interface HostileScript {
  readonly tools: readonly ToolDefinition[];
  readonly answers?: Readonly<Record<string, HostileAnswer>>;
  readonly instructions?: string;
}

/** What a hostile server was told. */
export interface HostileRecord {
  readonly call?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly answer?: unknown;
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
}

/** A runtime with every guard, and what the guards have found. */
export interface GuardedRuntime {
  readonly mcp: Mcp;
  readonly findings: readonly InjectionFinding[];
  readonly drifts: readonly PinFinding[];
}

export async function openGuarded(
  options: OpenMcpOptions,
  { rule = "never", pins: pinOptions, policies = [] }: GuardSettings = {},
): Promise<GuardedRuntime> {
  const findings: InjectionFinding[] = [];
  const drifts: PinFinding[] = [];
  const scan = { found: (finding: InjectionFinding) => void findings.push(finding) };
  const approval = callApproval({ rule });
  const pins = await openToolPins({
    found: (drift) => void drifts.push(drift),
    refresh: (server) => mcp.refreshTools(server),
    ...pinOptions,
  });
  const mcp: Mcp = await openMcp({
    cache: false,
    ...options,
    use: [approval.middleware, pins.middleware, markResults(), limitResults(), cleanResults(), scanResults(scan)],
    toolPolicies: [scanTools(scan), cleanTools(), ...policies, pins.policy, approval.policy],
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

/** Every name, title, description and schema that both adapters hand to a model. */
export function offeredToModels(mcp: Mcp): string {
  const forAiSdk = Object.entries(aiSdkTools(mcp)).map(([name, { description, title, inputSchema }]) => ({
    name,
    description,
    title,
    schema: inputSchema.jsonSchema,
  }));
  const forChain = langchainTools(mcp).map(({ name, description, schema }) => ({ name, description, schema }));
  return JSON.stringify([forAiSdk, forChain]);
}

function readable(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/boundary=(\\?)"[0-9a-f]{16}/g, 'boundary=$1"…');
}
