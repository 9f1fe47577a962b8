import { isRecord } from "@jackfield/mcp-core";
import { checkMedia, type MediaSupport } from "@jackfield/mcp-tools";
import { type AiSdkModel, traitsOf } from "./ai-sdk-models.ts";
import { ANY_INPUT } from "./ai-sdk-schema.ts";
import type { AiSdkTool } from "./ai-sdk-tool.ts";
import { type AiSdkMajor, type AiSdkModelOutput, installedMajor, toModelOutput } from "./model-output.ts";

/** For whom stored outputs are converted: as in `AiSdkToolsOptions`. */
export interface AiSdkStoredToolsOptions {
  readonly model?: AiSdkModel | undefined;
  readonly media?: MediaSupport | "auto" | undefined;
  readonly sdk?: AiSdkMajor | undefined;
}

/** A tool that converts outputs and can be neither offered nor called. */
export interface AiSdkStoredTool {
  readonly type: "dynamic";
  readonly inputSchema: AiSdkTool["inputSchema"];
  toModelOutput(options: { readonly output: unknown }): AiSdkModelOutput;
}

/**
 * The tools by which stored UI messages are converted for a model: those of today, and for each other tool in the messages one that converts its
 * outputs alike, though its server is gone or it has another name by now. Without it the SDK writes an image out as base64, and an error
 * loses its mark. Pass them to `convertToModelMessages` and `validateUIMessages`, never to a request.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for `media` that says nothing
 */
export function aiSdkStoredTools<Tools extends object>(
  messages: readonly unknown[],
  tools: Tools,
  { model, media = "auto", sdk }: AiSdkStoredToolsOptions = {},
): Tools & Record<string, AiSdkStoredTool> {
  checkMedia(media);
  const stored: AiSdkStoredTool = {
    type: "dynamic",
    inputSchema: ANY_INPUT,
    toModelOutput: ({ output }) =>
      toModelOutput(output, {
        major: sdk ?? installedMajor(),
        media: media === "auto" ? traitsOf(model).media : media,
      }),
  };
  const all: Record<string, unknown> = Object.assign(Object.create(null), tools);
  for (const name of messages.flatMap(toolNames)) all[name] ??= stored;
  return all as Tools & Record<string, AiSdkStoredTool>;
}

/** The names of the tools that a UI message has parts of: `dynamic-tool`, or `tool-` and the name. */
function toolNames(message: unknown): readonly string[] {
  const parts = isRecord(message) && Array.isArray(message.parts) ? message.parts.filter(isRecord) : [];
  return parts.flatMap(({ type, toolName }) => {
    if (typeof toolName === "string") return [toolName];
    return typeof type === "string" && type.startsWith("tool-") ? [type.slice("tool-".length)] : [];
  });
}
