import type { CallMiddleware, CallOptions, JsonObject, ToolCallResult, ToolRef } from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import { throughMiddleware } from "./call-chain.ts";
import { optionInvalid } from "./call-error.ts";
import { sendCall } from "./call-sender.ts";
import { invalidOption } from "./call-time.ts";
import type { FoundTool, ToolFinder } from "./found-tool.ts";
import { checkArguments } from "./tool-arguments.ts";
import { createToolFinder, refuseIfOther } from "./tool-finder.ts";
import { createOutputChecks } from "./tool-output.ts";
import { checkToolRef } from "./tool-ref.ts";
import type { ToolRegistry } from "./tool-registry.ts";

export interface ToolCallerOptions {
  /** The first is the outermost. */
  readonly use: readonly CallMiddleware[];
  readonly registry: ToolRegistry;
  /**
   * Also finds a server after the manager is closed.
   *
   * @throws McpError `MCP_SERVER_UNKNOWN`
   */
  readonly server: (name: string) => ManagedServer;
  /** @throws McpError `MCP_CLOSED` after the manager is closed. */
  readonly refuseIfClosed: () => void;
}

/** Calls the tools of a manager. Every method throws only `McpError`. */
export interface ToolCaller {
  /**
   * Finds the tool a reference means, without calling it.
   *
   * @throws McpError whatever `ToolFinder` throws, `MCP_CLOSED`, or `MCP_CONFIG_INVALID` for invalid options.
   */
  readonly find: ToolFinder;
  /**
   * Makes a call: finds the tool, runs the middleware, checks the arguments, sends them within the call's deadlines, again only where
   * that is safe or wanted, and checks the answer.
   */
  readonly call: (ref: ToolRef, args: JsonObject, options: CallOptions) => Promise<ToolCallResult>;
  /** The same for a tool that `find` returned and that was judged since. */
  readonly callFound: (found: FoundTool, args: JsonObject) => Promise<ToolCallResult>;
}

export function createToolCaller({ use, registry, server, refuseIfClosed }: ToolCallerOptions): ToolCaller {
  const findTool = createToolFinder({ registry, server });
  const checkOutput = createOutputChecks();
  const send = throughMiddleware(use, (tool, args, options, foundOn, isFreshlyFound = false) => {
    if (!isFreshlyFound) refuseIfOther(tool, registry); // It may have changed while it was judged.
    checkArguments(tool, args);
    refuseIfClosed();
    const answered = sendCall(
      { tool, args, options },
      server(tool.server),
      foundOn,
      registry,
      isFreshlyFound,
    );
    return tool.definition.outputSchema === undefined ? answered : checkOutput(tool, answered);
  });
  const sendFound = (found: FoundTool, args: JsonObject) => send(found.tool, args, found.options, found);
  const find: ToolFinder = (ref, options) => {
    refuseIfClosed();
    if (typeof ref !== "string") checkToolRef(ref);
    let invalid: string | undefined;
    try {
      invalid = invalidOption(options);
    } catch {
      invalid = "its options cannot be read"; // A getter in the options may throw.
    }
    if (invalid !== undefined) throw optionInvalid(invalid, ref);
    return findTool(ref, options);
  };
  return {
    find,
    // Not `async`, which would cost one more promise per call.
    call(ref, args, options) {
      try {
        const found = find(ref, options);
        if (!(found instanceof Promise)) return send(found.tool, args, found.options, found, true);
        return found.then((waitedFor) => sendFound(waitedFor, args));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    callFound(found, args) {
      const { tool } = found;
      try {
        refuseIfClosed();
        const mayBeGone = tool.origin === "cache"; // Left to the middleware, which may know why.
        if (!mayBeGone || registry.find(tool.server, tool.originalName) !== undefined)
          refuseIfOther(tool, registry); // The tool may have changed while it was judged.
        return sendFound(found, args);
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
}
