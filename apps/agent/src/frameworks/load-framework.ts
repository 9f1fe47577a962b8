import type { ToolSource } from "@jackfield/mcp-core";
import type { AgentFramework, ModelSettings } from "./agent-framework.ts";

/** The frameworks the agent can run on, the default first. */
export const FRAMEWORK_NAMES = ["ai-sdk", "langchain"] as const;

export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];

/** Loads the chosen framework, and no other, and begins a conversation on it. */
export async function loadFramework(
  name: FrameworkName,
  source: ToolSource,
  settings: ModelSettings,
): Promise<AgentFramework> {
  switch (name) {
    case "ai-sdk": {
      const { createAiSdkAgent } = await import("./ai-sdk.ts");
      return createAiSdkAgent(source, settings);
    }
    case "langchain": {
      const { createLangchainAgent } = await import("./langchain.ts");
      return createLangchainAgent(source, settings);
    }
  }
}
