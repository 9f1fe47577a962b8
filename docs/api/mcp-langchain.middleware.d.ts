import { ToolSelection, ModelToolOptions, ToolApproval } from "@jackfield/mcp-tools";
export { ToolApproval } from "@jackfield/mcp-tools";
import { JsonObject, ToolSource } from "@jackfield/mcp-core";
import { AgentMiddleware } from "langchain";
interface McpInputRequest {
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
interface McpInputInterrupt {
    readonly type: "mcp_input_required";
    readonly server: string;
    readonly tool: string;
    readonly toolCallId?: string | undefined;
    readonly requests: {
        readonly [key: string]: McpInputRequest;
    };
    readonly requestState?: string | undefined;
}
interface McpInputAnswers {
    readonly [key: string]: JsonObject;
}
interface LangchainToolsOptions extends ToolSelection, ModelToolOptions {
}
interface McpMiddlewareOptions extends LangchainToolsOptions {
    readonly approval?: ToolApproval | undefined;
    readonly inputRequired?: "handlers" | "interrupt" | undefined;
    readonly name?: string | undefined;
}
declare function mcpMiddleware(source: ToolSource, options?: McpMiddlewareOptions): AgentMiddleware;
export { mcpMiddleware };
export type { McpInputAnswers, McpInputInterrupt, McpInputRequest, McpMiddlewareOptions };
