export { API_RULES, refusals } from "./api-rules.ts";
export {
  createFakeConnector,
  type FakeAttempt,
  type FakeConnector,
  type FakeConnectorOptions,
} from "./fake-connector.ts";
export {
  createFakeSession,
  type FakeAnswer,
  type FakeSession,
  type FakeSessionOptions,
  type RecordedRequest,
} from "./fake-session.ts";
export { createFakeToolCache, type FakeToolCache, type FakeToolCacheOptions } from "./fake-tool-cache.ts";
export {
  createFakeToolSource,
  type FakeTool,
  type FakeToolSource,
  type RecordedCall,
} from "./fake-tool-source.ts";
export { type LeakCheck, type LeakCheckOptions, leakCheck, useLeakCheck } from "./leak-check.ts";
export { memoryStateStore } from "./memory-state-store.ts";
export { passThroughResolver } from "./pass-through-resolver.ts";
export { loadReadmeExamples, type ReadmeExamples } from "./readme-examples.ts";
export { recordStatuses, type StatusRecord, type StatusSource } from "./record-statuses.ts";
export { httpDefinition, stdioDefinition } from "./sample-definition.ts";
export {
  type AuthorizationBehavior,
  type AuthorizationReply,
  type AuthorizationServer,
  type AuthorizationServerRequest,
  startAuthorizationServer,
} from "./servers/authorization-server.ts";
export { type FaultRecord, readFaultRecord } from "./servers/fault-record.ts";
export type {
  ConversationScript,
  ExitMoment,
  FaultMoment,
  FaultScript,
  GrandchildScript,
} from "./servers/fault-script.ts";
export type { HttpAnswerFault, HttpServerRequest } from "./servers/http-answer.ts";
export type { HttpBodyFault, HttpCoding } from "./servers/http-body.ts";
export type { ExecutedCall } from "./servers/http-conversation.ts";
export type { HttpStreamFault } from "./servers/http-event-stream.ts";
export { type HttpFaultProcess, startHttpFaultProcess } from "./servers/http-fault-child.ts";
export type { HttpFault, HttpFaultScript } from "./servers/http-fault-script.ts";
export {
  type HttpFaultServer,
  type HttpFaultServerOptions,
  startHttpFaultServer,
} from "./servers/http-fault-server.ts";
export type { HttpPayloadFault } from "./servers/http-payload.ts";
export type { HttpRefusalFault, HttpReply } from "./servers/http-refusal.ts";
export type { HttpStreamRecord } from "./servers/http-streams.ts";
export {
  createInProcessFaultServer,
  type InProcessFaultServer,
  type InProcessTransport,
} from "./servers/in-process-fault-server.ts";
export { type ModelApi, type ModelTurn, startModelApi, toolResultIn } from "./servers/model-api.ts";
export {
  type ProtectedServer,
  type ProtectedServerOptions,
  type ProtectedServerRequest,
  startProtectedServer,
} from "./servers/protected-server.ts";
export type { RecordedHttpRequest } from "./servers/request-log.ts";
export type { RpcError, RpcId, RpcMessage } from "./servers/rpc-message.ts";
export { type RealStore, startRealStore } from "./servers/shared-stores.ts";
export { type StdioFaultServer, stdioFaultServer } from "./servers/stdio-fault-server.ts";
export type { TcpConnection } from "./servers/tcp-connection.ts";
export type { TcpConnectionPlan, TcpCut, TcpDirectionPlan, TcpPlan } from "./servers/tcp-connection-plan.ts";
export {
  startTcpFaultProxy,
  type TcpFaultProxy,
  type TcpFaultProxyOptions,
} from "./servers/tcp-fault-proxy.ts";
export type { IssuedTokens, TokenOffice } from "./servers/token-office.ts";
export { type ConnectorSuiteOptions, connectorSuite } from "./suites/connector-suite.ts";
export type {
  ConnectorUnderTest,
  OpenConnectorUnderTest,
  ReceivedMessage,
} from "./suites/connector-under-test.ts";
export { type ToolCacheUnderTest, toolCacheSuite } from "./suites/tool-cache-suite.ts";
export {
  type ErrorOutcome,
  type ExpectedPart,
  type ResultOutcome,
  TOOL_OUTCOMES,
  type ToolOutcome,
} from "./suites/tool-outcomes.ts";
export { type ToolSourceUnderTest, toolSourceSuite } from "./suites/tool-source-suite.ts";
export { type ReadingOf, writtenSection, writtenTable } from "./suites/written-table.ts";
export { casesOf, TEST_RUN_VARIABLE, testRunId } from "./test-run.ts";
export { loseHome } from "./unknown-home.ts";
