import {
  checkOptions,
  McpError,
  type OptionKind,
  optionChoice,
  optionKinds,
  type ToolSource,
  toolDigest,
} from "@jackfield/mcp-core";
import {
  changedSinceApproval,
  checkApproval,
  createToolFinder,
  errorText,
  type FindingOptions,
  type ModelTool,
  type ToolApproval,
  type ToolFinder,
} from "@jackfield/mcp-tools";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { type AgentMiddleware, createMiddleware, ToolStrategy } from "langchain";
import { traitsOf } from "../chat-models.ts";
import { type LangchainToolsOptions, profileFor, TOOLS_OPTIONS } from "../langchain-tools.ts";
import { createLangchainTool, type MakeCall } from "../mcp-tool.ts";
import { ToolCallFailed, withMedia } from "../tool-message.ts";
import { agreementOn } from "./agreed-calls.ts";
import { createApprovalHook, isApprovalNeeded, threadOf } from "./call-approval.ts";
import { foundIn, searchTool } from "./found-tools.ts";
import { interruptingCall } from "./input-required.ts";
import { createLiveTools } from "./live-tools.ts";
import { inTurn } from "./node-turns.ts";

/**
 * Options of `langchainTools`, and those that need an agent. With `search` a model is offered `search_tools` in place of all tools, and what it
 * finds from the next request on.
 */
export interface McpMiddlewareOptions extends LangchainToolsOptions, FindingOptions {
  /**
   * Which calls a person is asked about, in the format of LangChain's `humanInTheLoopMiddleware` (`HITLRequest`, `HITLResponse`).
   * Default `off`. Needs a checkpointer and the package `@langchain/langgraph`. A function is called once for each call.
   */
  readonly approval?: ToolApproval | undefined;
  /**
   * How a server's questions during a call are answered. `handlers` (default): by the runtime's own handlers. `interrupt`: the
   * graph is interrupted with an `McpInputInterrupt` and resumed with `McpInputAnswers`, if the source returns such questions, and with an
   * `McpLoginInterrupt` if the call needs its user to log in; needs a checkpointer and the package `@langchain/langgraph`.
   */
  readonly inputRequired?: "handlers" | "interrupt" | undefined;
  /** The middleware's name. LangChain takes each name only once, so an agent with two sources needs two. Default `McpMiddleware`. */
  readonly name?: string | undefined;
}

const { any, name: text } = optionKinds;
const OPTIONS: Record<keyof McpMiddlewareOptions, OptionKind> = {
  ...TOOLS_OPTIONS,
  search: any,
  always: any,
  threshold: any,
  namesWithin: any,
  approval: any,
  inputRequired: optionChoice("handlers", "interrupt"),
  name: text,
};

/**
 * Middleware for `createAgent` that gives an agent the tools of a source as they are at each step: new and changed tools are
 * available from the next request to the model on. Use it instead of `langchainTools`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown option, approval policy, schema profile or `inputRequired`, and for a selection that
 * is not a list of names. The options are checked even if there are no tools yet.
 */
export function mcpMiddleware(source: ToolSource, options: McpMiddlewareOptions = {}): AgentMiddleware {
  checkOptions(options, OPTIONS);
  const {
    approval = "off",
    inputRequired = "handlers",
    name = DEFAULT_NAME,
    media = "auto",
    model,
  } = options;
  checkApproval(approval);
  const live = createLiveTools(source, options);
  const finder = createToolFinder(
    source,
    options,
    name === DEFAULT_NAME ? "" : `_${name.replace(/\W+/g, "_")}`,
  );
  const otherNames = new Set<string>();
  const search = (asked?: unknown, isFormatted?: boolean): readonly StructuredTool[] => {
    if (!finder.isSearching) return [];
    const profile = profileFor(options, model ?? asked, isFormatted);
    return [createLangchainTool(searchTool(finder, profile), live.message)];
  };
  const announced = [...search(), ...whole(live.offered(model), finder)].map(announcementOf);
  const announcedNames = new Set(announced.map(({ name }) => name));
  const own = new Set<unknown>(announced.map((tool) => tool[ANNOUNCEMENT]));
  const isOwnAnnouncement = (tool: object): tool is Announcement =>
    ANNOUNCEMENT in tool && own.has(tool[ANNOUNCEMENT]);
  const callOf = (tool: ModelTool, toolCallId: string | undefined, approved: string | undefined): MakeCall =>
    inputRequired === "interrupt"
      ? interruptingCall(tool, toolCallId, approved)
      : (input, call) => tool.call(input, { ...call, approved });
  return createMiddleware({
    name,
    tools: announced,
    wrapModelCall: (request, handler) => {
      const kept = new Set(request.tools.filter(isOwnAnnouncement).map(({ name }) => name));
      const others = request.tools.filter((tool) => !isOwnAnnouncement(tool));
      const taken = new Set(others.map((tool) => String(tool.name)));
      for (const name of taken) otherNames.add(name);
      const isFormatted = isFormattedByApi(request.responseFormat);
      const offered = live.offered(request.model, isFormatted).filter(({ name }) => !taken.has(name));
      const added = whole(offered, finder).filter(({ name }) => kept.has(name) || !announcedNames.has(name));
      const found = finder.isSearching ? foundIn(request.state.messages, finder) : [];
      // At the end, so that what was there before stays the same bytes.
      const later = found.flatMap((name) => offered.filter((tool) => tool.name === name));
      const searching = search(request.model, isFormatted).filter(({ name }) => !taken.has(name));
      const shown = media === "auto" ? traitsOf(model ?? request.model).media : media;
      const messages = withOpenCallsAnswered(request.messages, (call) => otherNames.has(call)).map(
        (message) => (ToolMessage.isInstance(message) ? withMedia(message, shown) : message),
      );
      return handler({
        ...request,
        messages,
        tools: [...others, ...searching, ...added, ...later],
      });
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, state, runtime } = request;
      const [searching] = request.tool === undefined ? search() : [];
      if (searching?.name === toolCall.name) return handler({ ...request, tool: searching });
      const tool = live.find(toolCall.name, toolCall.args);
      if (tool === undefined || request.tool !== undefined) {
        const answer = await handler(request);
        return request.tool === undefined && ToolMessage.isInstance(answer)
          ? withAdvice(answer, live.offered(model))
          : answer;
      }
      const agreement =
        approval === "off" ? undefined : agreementOn(state.messages, toolCall, threadOf(runtime));
      if (agreement === undefined && (await isApprovalNeeded(approval, tool, toolCall.args)))
        return refusedCallMessage(unapprovedCall(tool), toolCall.name, toolCall.id);
      if (agreement !== undefined && agreement.digest !== toolDigest(tool.descriptor))
        return refusedCallMessage(changedSinceApproval(tool.descriptor), toolCall.name, toolCall.id);
      const approved = agreement?.reason === "approved" ? agreement.digest : undefined;
      const made = createLangchainTool(tool, live.message, callOf(tool, toolCall.id, approved));
      const call = async () => {
        try {
          return await handler({ ...request, tool: made });
        } catch (error) {
          // Thrown for traces, which have seen it by now. Beyond this middleware it would end the run.
          if (error instanceof ToolCallFailed) return error.toolMessage;
          throw error;
        }
      };
      return inputRequired === "interrupt" ? inTurn(runtime, call) : call();
    },
    ...(approval === "off"
      ? {}
      : {
          afterModel: {
            canJumpTo: ["model"],
            hook: createApprovalHook(approval, { live, otherNames, name }),
          },
        }),
  });
}

const DEFAULT_NAME = "McpMiddleware";

/** Those that are offered whole, though tools may be searched for. */
function whole(
  tools: readonly StructuredTool[],
  { isSearching, offered }: ToolFinder,
): readonly StructuredTool[] {
  if (!isSearching) return tools;
  const names = new Set(offered.map(({ name }) => name));
  return tools.filter(({ name }) => names.has(name));
}

/** Whether the API is asked for an answer in a format. By `toolStrategy`, a list, a tool of its own takes the answer instead. */
function isFormattedByApi(responseFormat: unknown): boolean {
  return responseFormat !== undefined && ![responseFormat].flat().some((way) => way instanceof ToolStrategy);
}

/** Marks what stands for a tool in the list that an agent is made with. */
const ANNOUNCEMENT = Symbol("jackfield.announcement");

/**
 * A tool as the middleware before this one sees it, so that it can choose among the tools that are known when the agent is made. It is no
 * tool that LangChain would call or bind: this middleware puts the tool in its place.
 */
type Announcement = {
  readonly name: string;
  readonly description: string;
  readonly metadata: unknown;
  readonly schema: unknown;
  readonly [ANNOUNCEMENT]: StructuredTool;
};

function announcementOf(tool: StructuredTool): Announcement {
  const { name, description, metadata } = tool;
  return {
    name,
    description,
    metadata,
    get schema() {
      return tool.schema;
    },
    [ANNOUNCEMENT]: tool,
  };
}

/**
 * The error for a call without a recorded agreement: its tool may have come after the model's message, another middleware may have
 * changed the call, or the message may not be the model's.
 */
function unapprovedCall({ descriptor: { server, originalName: tool } }: ModelTool): McpError {
  const message = `No approval was requested for this call of "${tool}" of server "${server}". Call the tool again, and the person is asked.`;
  return new McpError("MCP_CALL_DENIED", message, { server, tool, phase: "call", outcome: "not-sent" });
}

function refusedCallMessage(error: McpError, name: string, toolCallId: string | undefined): ToolMessage {
  return new ToolMessage({
    status: "error",
    name,
    tool_call_id: toolCallId ?? "",
    content: errorText(error),
  });
}

/** The most names that an unknown one is answered with. */
const MOST_NAMES = 50;

/** LangChain's answer to a call of an unknown tool, which knows of no tools that come later, with the tools of the source as well. */
function withAdvice(answer: ToolMessage, offered: readonly { readonly name: string }[]): ToolMessage {
  const [, named] = /^Error: .* is not a valid tool, try one of \[(.*)\]\.$/s.exec(answer.text) ?? [];
  if (named === undefined) return answer;
  const names = [
    ...new Set([...named.split(", ").filter((name) => name !== ""), ...offered.map(({ name }) => name)]),
  ];
  // Those that look like what was meant come first: it may lack the server's prefix.
  const wanted = (answer.name ?? "").toLowerCase();
  const sorted = names.toSorted((one, other) => likeness(other, wanted) - likeness(one, wanted));
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : "";
  const content = `Error: ${answer.name} is not a valid tool, try one of [${sorted.slice(0, MOST_NAMES).join(", ")}]${more}.`;
  return new ToolMessage({
    content,
    status: "error",
    name: answer.name ?? "",
    tool_call_id: answer.tool_call_id,
  });
}

function likeness(name: string, wanted: string): number {
  const plain = name.toLowerCase();
  return plain.endsWith(wanted) || wanted.endsWith(plain) ? 1 : 0;
}

/**
 * Messages in which every call of the source's tools has an answer: a run that was stopped leaves calls without one, and providers refuse
 * the next request.
 */
function withOpenCallsAnswered(
  messages: readonly BaseMessage[],
  isOther: (name: string) => boolean,
): BaseMessage[] {
  const answered = new Set(
    messages.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
  );
  return messages.flatMap((message) => {
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    const open = calls.filter(({ id, name }) => id !== undefined && !answered.has(id) && !isOther(name));
    return [message, ...open.map(({ id = "", name }) => refusedCallMessage(STOPPED, name, id))];
  });
}

const STOPPED = new McpError("MCP_ABORTED", "The run was stopped before the call was answered.", {
  phase: "call",
  outcome: "unknown",
});
