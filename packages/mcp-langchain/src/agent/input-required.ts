import {
  type InputOptions,
  type InputRequest,
  isInputRequired,
  isRecord,
  type NeededLogin,
  type ToolDescriptor,
} from "@jackfield/mcp-core";
import type { ModelCallOptions, ModelCallResult, ModelTool } from "@jackfield/mcp-tools";
import type { MakeCall } from "../mcp-tool.ts";

/** The value of the interrupt: the questions that a server needs answered before it continues a call. Plain JSON. */
export interface McpInputInterrupt {
  readonly type: "mcp_input_required";
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly toolCallId?: string | undefined;
  /** Keyed by the server. */
  readonly requests: { readonly [key: string]: InputRequest };
  /** The server's opaque state, which it gets back with the answers. */
  readonly requestState?: string | undefined;
}

/**
 * The value of the interrupt of a call that needs its user to log in. Resume when the user has, and the call is made again; resume with
 * `false` if the user has declined, and the model is told. Plain JSON.
 */
export interface McpLoginInterrupt {
  readonly type: "mcp_login_required";
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly toolCallId?: string | undefined;
  /** For `beginLogin`. */
  readonly login: NeededLogin;
}

/** The value to resume with: for each key the answer to its request, which for an elicitation is `{ action, content? }`. */
export type McpInputAnswers = NonNullable<InputOptions["inputResponses"]>;

/** How often a server that asks nothing, but wants the request again, is called before a person is interrupted. */
const MOST_SILENT_ROUNDS = 10;

/**
 * Makes calls whose questions interrupt the graph. Each round trip is a task of LangGraph, and the checkpoint keeps its result: a
 * resumed run, in any process, continues from there and does not repeat the call.
 */
export function interruptingCall(
  tool: ModelTool,
  toolCallId: string | undefined,
  approved: string | undefined,
): MakeCall {
  return async (input, options) => {
    const { interrupt, task } = await import("@langchain/langgraph");
    let continuation: Pick<InputOptions, "inputResponses" | "requestState"> | undefined;
    for (let silentRounds = 0; ; ) {
      const callOptions: ModelCallOptions & InputOptions = {
        ...options,
        ...continuation,
        approved,
        inputRequired: "return",
      };
      const result = await task(tool.descriptor.name, () => tool.call(input, callOptions))();
      const login = loginWanted(result, tool.descriptor, toolCallId);
      if (login !== undefined) {
        if (interrupt(login) === false) return result;
        continue;
      }
      const wanted = inputWanted(result, tool.descriptor, toolCallId);
      if (wanted === undefined) return result;
      const { requestState } = wanted;
      const isAskedNothing = Object.keys(wanted.requests).length === 0;
      const isSilent = isAskedNothing && silentRounds++ < MOST_SILENT_ROUNDS;
      const inputResponses = isSilent ? undefined : answersTo(wanted, interrupt);
      continuation = { inputResponses, requestState };
    }
  };
}

/** Interrupts again if the run is resumed with anything but answers: a wrong value in a checkpoint could not be taken back. */
function answersTo(
  wanted: McpInputInterrupt,
  interrupt: (value: McpInputInterrupt) => unknown,
): McpInputAnswers {
  for (;;) {
    const answers = interrupt(wanted);
    if (isRecord(answers)) return answers as McpInputAnswers;
  }
}

function loginWanted(
  result: ModelCallResult,
  { server, originalName: tool }: ToolDescriptor,
  toolCallId: string | undefined,
): McpLoginInterrupt | undefined {
  const { login } = result.mcpError ?? {};
  if (login === undefined) return undefined;
  return {
    type: "mcp_login_required",
    server,
    tool,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    login,
  };
}

function inputWanted(
  result: ModelCallResult,
  { server, originalName }: ToolDescriptor,
  toolCallId: string | undefined,
): McpInputInterrupt | undefined {
  if (!isInputRequired(result)) return;
  const { inputRequests, requestState } = result;
  return {
    type: "mcp_input_required",
    server,
    tool: originalName,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    // A source that the program wrote itself may leave out empty requests.
    requests: inputRequests ?? {},
    ...(typeof requestState === "string" ? { requestState } : {}),
  };
}
