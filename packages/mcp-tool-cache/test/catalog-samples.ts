import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  CatalogEntry,
  CatalogId,
  Logger,
  ResolvedStdioServer,
  ToolDefinition,
} from "@jackfield/mcp-core";
import { onTestFinished } from "vitest";

/** An id as a cache would make it. */
export function sampleId(name: string): CatalogId {
  return name as CatalogId;
}

export function sampleTool(name: string, description = `Does ${name}.`): ToolDefinition {
  return { name, description, inputSchema: { type: "object", properties: { path: { type: "string" } } } };
}

/** An entry with one tool, listed at 1,000. */
export function sampleEntry(changes: Partial<CatalogEntry> = {}): CatalogEntry {
  return { server: "files", credentials: "c", listedAt: 1_000, tools: [sampleTool("read")], ...changes };
}

export function sampleServer(changes: Partial<ResolvedStdioServer> = {}): ResolvedStdioServer {
  return {
    name: "files",
    transport: "stdio",
    command: "files-server",
    args: ["--root", "/srv"],
    env: { LANG: "C" },
    secrets: [],
    ...changes,
  };
}

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "jackfield-catalog-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A logger that records each message with its fields as one line. */
export function recordingLogger(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    log: (level, message, fields) => lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
  };
}
