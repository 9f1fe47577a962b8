export type {
  AuthChallenge,
  AuthPort,
  CredentialedRequest,
  CredentialOptions,
  NetworkFor,
  NetworkOptions,
  TlsOptions,
} from "./auth-port.ts";
export type { CallChange, CallMiddleware, ToolCall, ToolListPolicy } from "./call-middleware.ts";
export type { CallOptions, Progress, RequestOptions, SessionRequestOptions } from "./call-options.ts";
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
export type {
  CompletionRequest,
  CompletionResult,
  ContextSource,
  GetPromptResult,
  Owned,
  PromptArgument,
  PromptDefinition,
  PromptMessage,
  ReadResourceResult,
  ResourceDefinition,
  ResourceSubscription,
  ResourceTemplateDefinition,
} from "./context-source.ts";
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
  namedArguments,
  namesCredential,
  ownCredentials,
  urlParts,
} from "./credentials.ts";
export {
  createDeadline,
  type Deadline,
  type LongTimer,
  MAX_TIMER_MS,
  raceSignal,
  setLongTimer,
  startTimer,
} from "./deadline.ts";
export type { Diagnostic } from "./diagnostic.ts";
export { ERROR_CODES, type ErrorCode } from "./error-code.ts";
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
export { KeyedQueue } from "./keyed-queue.ts";
export { KnownCredentials } from "./known-credentials.ts";
export { type LogFields, type Logger, type LogLevel, silentLogger } from "./logger.ts";
export {
  type CallOutcome,
  isMcpError,
  McpError,
  type McpErrorDetails,
  type McpErrorReport,
  type NeededLogin,
  type Phase,
  toMcpError,
} from "./mcp-error.ts";
export {
  checkOption,
  checkOptions,
  invalidOption,
  type OptionKind,
  optionChoice,
  optionEither,
  optionGroup,
  optionKinds,
  optionList,
  optionNumber,
  optionPort,
} from "./option-check.ts";
export { Redactor, type TextCut } from "./redactor.ts";
export type { RequestEnding, RequestTrace, TracedRequest, TraceRequest } from "./request-trace.ts";
export type {
  ResolvedInProcessServer,
  ResolvedRemoteServer,
  ResolvedServer,
  ResolvedStdioServer,
  ResolveOptions,
  ResolveServer,
} from "./resolved-server.ts";
export { parseRetryAfter } from "./retry-after.ts";
export {
  DEFAULT_LIMITS,
  type DefinedIn,
  type DefinitionScope,
  type HttpServerDefinition,
  type InProcessServer,
  type InProcessServerDefinition,
  type MakeHeaders,
  mostListed,
  type OAuthSettings,
  REFERRING_OAUTH_SETTINGS,
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
  ConnectOptions,
  Connector,
  Handshake,
  Implementation,
  Listing,
  PriorHandshake,
  ProtocolEra,
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
export { CHARACTERS_PER_TOKEN, estimateTokens } from "./token-estimate.ts";
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
export { type DigestedTool, toolDigest } from "./tool-digest.ts";
export type {
  McpEvents,
  SearchToolsOptions,
  SourceEvents,
  ToolCallParameters,
  ToolInput,
  ToolRef,
  ToolResultOf,
  ToolSource,
  ToolsChanged,
  ToolTypes,
} from "./tool-source.ts";
export {
  canonicalJson,
  deepFreeze,
  isRecord,
  isSameJson,
  type JsonObject,
  type JsonValue,
} from "./values.ts";
