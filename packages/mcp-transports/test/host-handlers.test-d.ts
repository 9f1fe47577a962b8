/** What a handler is told about a question. There is nothing to run: this file is right when it compiles. */
import type {
  CallOptions,
  HostHandlers,
  JsonObject,
  ServerRequestCall,
  ServerRequestContext,
} from "@jackfield/mcp-core";

/** A handler may ignore the context. */
export const short: HostHandlers = {
  elicit: async () => ({ action: "cancel" }),
  sample: async () => ({}),
  roots: async () => [],
};

/** Everything but the server and the signal may be missing. */
export const context: ServerRequestContext = { server: "shop", signal: AbortSignal.abort() };
export const call: ServerRequestCall = { method: "prompts/get" };

export const told: HostHandlers = {
  async elicit(_, { call, principal }) {
    const tool: string | undefined = call?.tool;
    const meta: JsonObject | undefined = call?.meta;
    const user: string | undefined = call?.principal ?? principal;
    // @ts-expect-error A question need not belong to a call.
    const method: string = call.method;
    return { action: "accept", content: { word: `${tool} ${meta} ${user} ${method}` } };
  },
};

/** Only the runtime says whose a call is. */
// @ts-expect-error A caller cannot claim to be another user.
export const claimed: CallOptions = { principal: "ann" };
