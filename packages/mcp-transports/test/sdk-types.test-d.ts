/**
 * The contract's shapes and the SDK's are each assignable to the other, so neither can drift unnoticed. There is nothing
 * to run: this file is right when it compiles.
 */
import type * as ours from "@jackfield/mcp-core";
import type * as sdk from "@modelcontextprotocol/client";

/** Compiles only if each type is assignable to the other. */
type Same<Ours extends Theirs, Theirs extends OursAgain, OursAgain = Ours> = [Ours, Theirs];

export type Shapes = [
  Same<ours.ToolDefinition, sdk.Tool>,
  Same<ours.ToolCallResult, sdk.CallToolResult>,
  Same<ours.ContentBlock, sdk.ContentBlock>,
  Same<ours.ResourceDefinition, sdk.Resource>,
  Same<ours.ResourceTemplateDefinition, sdk.ResourceTemplateType>,
  Same<ours.ReadResourceResult, sdk.ReadResourceResult>,
  Same<ours.PromptDefinition, sdk.Prompt>,
  Same<ours.GetPromptResult, sdk.GetPromptResult>,
  Same<ours.CompletionRequest, sdk.CompleteRequest["params"]>,
  Same<ours.CompletionResult, sdk.CompleteResult>,
  Same<ours.Root, sdk.Root>,
  Same<ours.Implementation, sdk.Implementation>,
  Same<ours.Progress, sdk.Progress>,
];
