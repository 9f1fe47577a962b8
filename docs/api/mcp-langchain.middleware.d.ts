import { InputOptions, InputRequest, NeededLogin, ToolSource } from "@jackfield/mcp-core";
export { InputRequest as McpInputRequest } from "@jackfield/mcp-core";
import { ToolSelection, ModelToolOptions, MediaSupport, FindingOptions, ToolApproval } from "@jackfield/mcp-tools";
export { ToolApproval } from "@jackfield/mcp-tools";
import { AgentMiddleware } from "langchain";
type ArtifactKind = "full" | "data" | "rest";
interface McpInputInterrupt {
    readonly type: "mcp_input_required";
    readonly server: string;
    readonly tool: string;
    readonly toolCallId?: string | undefined;
    readonly requests: {
        readonly [key: string]: InputRequest;
    };
    readonly requestState?: string | undefined;
}
interface McpLoginInterrupt {
    readonly type: "mcp_login_required";
    readonly server: string;
    readonly tool: string;
    readonly toolCallId?: string | undefined;
    readonly login: NeededLogin;
}
type McpInputAnswers = NonNullable<InputOptions["inputResponses"]>;
interface LangchainToolsOptions extends ToolSelection, ModelToolOptions {
    readonly model?: unknown;
    readonly media?: MediaSupport | "auto" | undefined;
    readonly artifact?: ArtifactKind | undefined;
    readonly throwErrors?: boolean | undefined;
}
interface McpMiddlewareOptions extends LangchainToolsOptions, FindingOptions {
    readonly approval?: ToolApproval | undefined;
    readonly inputRequired?: "handlers" | "interrupt" | undefined;
    readonly name?: string | undefined;
}
declare function mcpMiddleware(source: ToolSource, options?: McpMiddlewareOptions): AgentMiddleware;
export { mcpMiddleware };
export type { McpInputAnswers, McpInputInterrupt, McpLoginInterrupt, McpMiddlewareOptions };
