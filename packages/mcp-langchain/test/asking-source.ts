import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type {
  CallOptions,
  JsonObject,
  ToolCallResult,
  ToolDefinition,
  ToolSource,
} from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A source over one real server that returns the server's `input_required` results to the caller. */
export interface AskingSource extends AsyncDisposable {
  readonly source: ToolSource;
  /** What the server has logged. */
  journal(): readonly unknown[];
}

/** The options with which a caller receives a server's questions and continues a call. */
interface ContinuedCall extends CallOptions {
  readonly inputRequired?: "handlers" | "return" | undefined;
  readonly inputResponses?: { readonly [key: string]: JsonObject } | undefined;
  readonly requestState?: string | undefined;
}

/** Starts the asking server as a child process and connects to it. */
export async function startAskingSource(): Promise<AskingSource> {
  const folder = mkdtempSync(join(tmpdir(), "asking-"));
  const journal = join(folder, "journal");
  const server = resolve(import.meta.dirname, "fixtures/asking-server.mjs");
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, journal] }));
  const call = async (name: string, args: JsonObject, options: ContinuedCall): Promise<ToolCallResult> => {
    const { inputResponses, requestState, signal } = options;
    const continued = { ...(inputResponses && { inputResponses }), ...(requestState && { requestState }) };
    const params = { name, arguments: args, ...continued };
    const allowInputRequired = options.inputRequired === "return";
    return client.callTool(params, {
      allowInputRequired,
      ...(signal && { signal }),
    }) as Promise<ToolCallResult>;
  };
  const { tools } = await client.listTools();
  const source = createFakeToolSource(
    tools.map((tool) => ({
      definition: tool as ToolDefinition,
      call: (args, options) => call(tool.name, args, options),
    })),
  );
  return {
    source,
    journal: () =>
      readFileSync(journal, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    async [Symbol.asyncDispose]() {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
