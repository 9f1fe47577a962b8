import { type BenchClient, echoArguments, echoOf } from "./client.ts";
import { exposedEcho, openJackfield, runningOf } from "./jackfield.ts";
import { messageText } from "./message-text.ts";

/** Jackfield by the tools it makes for LangChain.js, invoked as an agent invokes them. */
export const jackfieldLangchain: BenchClient = {
  isForModels: true,
  async start(servers, options) {
    const [mcp, { langchainTools }] = await Promise.all([
      openJackfield(servers, options),
      import("@jackfield/mcp-langchain"),
    ]);
    const name = exposedEcho(mcp, servers);
    const tool = langchainTools(mcp).find((offered) => offered.name === name);
    const echo = echoOf(servers);
    return {
      ...runningOf(mcp, servers),
      async call(text, repeat) {
        const args = echoArguments(echo, text, repeat);
        return messageText(await tool?.invoke({ type: "tool_call", id: "bench", name, args }));
      },
    };
  },
};
