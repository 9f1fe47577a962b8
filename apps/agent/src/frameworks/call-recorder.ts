import type { ToolCallResult, ToolDescriptor, ToolRef, ToolSource } from "@jackfield/mcp-core";

/** One tool call, as the server saw and answered it. */
export interface CallRecord {
  /** The exposed name. */
  readonly name: string;
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** False if the tool answered with an error, or could not be called. */
  readonly ok: boolean;
  /** The media types of the images and sounds in the result. */
  readonly mediaTypes: readonly string[];
}

/** A tool source that remembers the calls made through it. */
export interface CallRecorder extends ToolSource {
  /** Returns the calls since the last time, and forgets them. */
  takeCalls(): readonly CallRecord[];
}

/** Wraps a source in a recorder, so that calls are recorded alike whatever framework makes them. */
export function recordCalls(source: ToolSource): CallRecorder {
  let records: CallRecord[] = [];
  return {
    tools: () => source.tools(),
    searchTools: (query, options) => source.searchTools(query, options),
    on: (event, listener) => source.on(event, listener),
    async callTool(tool, args, options) {
      const called = identify(source, tool);
      try {
        const result = await source.callTool(tool, args, options);
        records.push({ ...called, ok: result.isError !== true, mediaTypes: mediaTypesOf(result) });
        return result;
      } catch (error) {
        records.push({ ...called, ok: false, mediaTypes: [] });
        throw error;
      }
    },
    takeCalls() {
      const taken = records;
      records = [];
      return taken;
    },
  };
}

function identify(source: ToolSource, tool: ToolRef): Pick<CallRecord, "name" | "server" | "tool"> {
  const isCalled = (offered: ToolDescriptor): boolean =>
    typeof tool === "string"
      ? offered.name === tool
      : offered.server === tool.server && offered.originalName === tool.tool;
  const found = source.tools().find(isCalled);
  if (found !== undefined) return { name: found.name, server: found.server, tool: found.originalName };
  return typeof tool === "string" ? { name: tool, server: "", tool } : { name: tool.tool, ...tool };
}

/** The media types of the images and sounds in a result. */
export function mediaTypesOf(result: ToolCallResult): string[] {
  return result.content.flatMap((block) =>
    block.type === "image" || block.type === "audio" ? [block.mimeType] : [],
  );
}
