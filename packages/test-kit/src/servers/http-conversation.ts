import type { JsonObject } from "@jackfield/mcp-core";
import { createFaultBrain, type FaultBrain, type FaultStep } from "./fault-brain.ts";
import type { HttpAnswerFault } from "./http-answer.ts";
import type { HttpFaultScript } from "./http-fault-script.ts";
import type { RpcMessage } from "./rpc-message.ts";

/** A tool call that was carried out. */
export interface ExecutedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly session?: string | undefined;
}

/** Answers messages, and records the tool calls that were carried out. */
export interface HttpConversation {
  readonly calls: readonly ExecutedCall[];
  /** Carries out a message and returns what to send, unless the fault replaces the answer. */
  receive(message: RpcMessage, session: string | undefined, fault: HttpAnswerFault): readonly FaultStep[];
  setScript(script: HttpFaultScript): void;
}

/** Creates an empty conversation. */
export function createHttpConversation(script: HttpFaultScript): HttpConversation {
  const calls: ExecutedCall[] = [];
  let brain: FaultBrain = createFaultBrain(script);
  return {
    calls,
    receive(message, session, { rpcError }) {
      const { id, method, params = {} } = message;
      if (rpcError && id !== undefined) {
        return [{ message: { jsonrpc: "2.0", id, error: rpcError }, afterMs: 0, channel: "request" }];
      }
      if (method === "tools/call") {
        const given = (params.arguments ?? {}) as JsonObject;
        calls.push({ tool: String(params.name), arguments: given, session });
      }
      return brain.receive(message);
    },
    setScript(next) {
      brain = createFaultBrain(next);
    },
  };
}

/** The protocol version in an answer, if there is one. */
export function agreedVersion(steps: readonly FaultStep[]): string | undefined {
  const agreed = steps.find(({ message }) => message.result)?.message.result?.protocolVersion;
  return agreed === undefined ? undefined : String(agreed);
}
