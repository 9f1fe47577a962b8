export type { AuthChallenge, AuthPort } from "./auth-port.ts";
export type { CallChange, CallMiddleware, ToolCall } from "./call-middleware.ts";
export type { CallOptions, Progress, RequestOptions, SessionRequestOptions } from "./call-options.ts";
export type { CompletionRequest, CompletionResult } from "./completion.ts";
export type { ConnectOptions, Connector } from "./connector.ts";
export type {
  AudioContent,
  BlobResourceContents,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent,
  TextResourceContents,
  ToolCallResult,
} from "./content.ts";
export type { ContextSource, Owned, ResourceSubscription } from "./context-source.ts";
export { withoutCredentialForms } from "./credential-forms.ts";
export {
  beginsLikeKey,
  credentialsIn,
  credentialsInText,
  credentialsOfAuthorization,
  credentialsOfHeader,
  decoded,
  isCredential,
  isPlaceholder,
  isTokenOfUser,
  looksGenerated,
  type NamedArgument,
  namedArguments,
  namesCredential,
  ownCredentials,
  type UrlParts,
  urlParts,
} from "./credentials.ts";
export type { Diagnostic } from "./diagnostic.ts";
export { ERROR_CODES, type ErrorCode } from "./error-code.ts";
export type { Handshake, Implementation, PriorHandshake, ProtocolEra } from "./handshake.ts";
export type {
  ElicitationAnswer,
  ElicitationRequest,
  HostHandlers,
  Root,
  ServerRequestCall,
  ServerRequestContext,
} from "./host-handlers.ts";
export {
  type InputOptions,
  type InputRequest,
  type InputRequiredResult,
  isInputRequired,
} from "./input-required.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { type LogFields, type Logger, type LogLevel, silentLogger } from "./logger.ts";
export {
  type CallOutcome,
  isMcpError,
  McpError,
  type McpErrorDetails,
  type McpErrorReport,
  type Phase,
  toMcpError,
} from "./mcp-error.ts";
export type { McpEvents } from "./mcp-events.ts";
export type { GetPromptResult, PromptArgument, PromptDefinition, PromptMessage } from "./prompt.ts";
export { REDACTED, Redactor, type TextCut } from "./redactor.ts";
export type {
  ResolvedInProcessServer,
  ResolvedRemoteServer,
  ResolvedServer,
  ResolvedStdioServer,
  ResolveOptions,
  ResolveServer,
} from "./resolved-server.ts";
export type { ReadResourceResult, ResourceDefinition, ResourceTemplateDefinition } from "./resource.ts";
export { parseRetryAfter } from "./retry-after.ts";
export {
  DEFAULT_LIMITS,
  type DefinedIn,
  type DefinitionScope,
  type HttpServerDefinition,
  type InProcessServer,
  type InProcessServerDefinition,
  mostListed,
  type OAuthSettings,
  type ServerDefinition,
  type ServerLimits,
  type ShadowedServer,
  type SseServerDefinition,
  type StdioServerDefinition,
  type ToolFilter,
  type TransportKind,
} from "./server-definition.ts";
export type { ErrorReport, ServerSnapshot, ServerStatus, ToolsFrom } from "./server-status.ts";
export type {
  CatalogItems,
  CatalogKind,
  Listing,
  ServerNotification,
  Session,
  SessionMethod,
  SessionMethods,
  SessionParams,
  SessionResult,
} from "./session.ts";
export type { SourceLocation } from "./source-location.ts";
export type { StateStore } from "./state-store.ts";
export { thrownMessage, thrownText } from "./thrown-text.ts";
export { createTimeSlices, type TimeSlices } from "./time-slices.ts";
export type { ToolAnnotations, ToolDefinition, ToolDescriptor, ToolInputSchema } from "./tool.ts";
export type {
  CatalogEntry,
  CatalogId,
  CatalogIdentity,
  CatalogSummary,
  IdentifyOptions,
  LastOutcome,
  ToolCache,
} from "./tool-cache.ts";
export { canonicalJson, type DigestedTool, toolDigest } from "./tool-digest.ts";
export type { ToolListPolicy } from "./tool-list-policy.ts";
export type { SourceEvents, ToolRef, ToolSource, ToolsChanged } from "./tool-source.ts";
export type { ToolCallParameters, ToolInput, ToolResultOf, ToolTypes } from "./tool-types.ts";
