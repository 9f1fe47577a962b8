import { type BenchClient, echoArguments, echoOf, textOf } from "./client.ts";
import { exposedEcho, openJackfield, runningOf } from "./jackfield.ts";

/** Jackfield by the tools it makes for the AI SDK, executed as `generateText` executes them. */
export const jackfieldAiSdk: BenchClient = {
  isForModels: true,
  async start(servers, options) {
    const [mcp, { aiSdkTools }] = await Promise.all([
      openJackfield(servers, options),
      import("@jackfield/mcp-ai-sdk"),
    ]);
    const tool = aiSdkTools(mcp)[exposedEcho(mcp, servers)];
    const echo = echoOf(servers);
    return {
      ...runningOf(mcp, servers),
      async call(text, repeat) {
        const call = { toolCallId: "bench", messages: [], context: {} };
        return textOf(await tool?.execute?.(echoArguments(echo, text, repeat), call));
      },
    };
  },
};
