import type { Implementation, Logger, ResolvedServer } from "@jackfield/mcp-core";
import type { Client, JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk.ts";
import type { NotificationRelay } from "./notification-relay.ts";
import { announcedCapabilities, answerServerRequests, type SessionHandlers } from "./server-requests.ts";

export interface SdkClientOptions {
  readonly sdk: Sdk;
  readonly clientInfo: Implementation;
  readonly probeTimeoutMs: number;
  readonly server: ResolvedServer;
  readonly handlers: SessionHandlers;
  readonly notifications: NotificationRelay;
  readonly log: Logger;
  /** Receives errors that belong to no request. */
  onProblem(error: Error): void;
}

/**
 * Schemas come from the server, and a pattern in one can block the event loop for ever. So the SDK must not compile them;
 * results are checked elsewhere, under a time budget, if at all.
 */
const ACCEPT_EVERYTHING: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** A modern server that asks more often than this for one request will never answer it. */
const MOST_INPUT_ROUNDS = 5;

/** A client of the SDK with all its listeners in place, so that nothing is missed between connecting and listening. */
export function createSdkClient(options: SdkClientOptions): Client {
  const { sdk, clientInfo, probeTimeoutMs, server, handlers, notifications, log, onProblem } = options;
  const client = new sdk.Client(sdkImplementation(clientInfo), {
    capabilities: announcedCapabilities(handlers.base),
    jsonSchemaValidator: ACCEPT_EVERYTHING,
    inputRequired: { maxRounds: MOST_INPUT_ROUNDS },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeTimeoutMs } },
  });
  client.fallbackNotificationHandler = async ({ method, params }) => notifications.push({ method, params });
  client.onerror = onProblem;
  answerServerRequests(client, { sdk, server: server.name, handlers, log });
  return client;
}

/** A name and a version as the SDK takes them. */
export function sdkImplementation({ name, version, title }: Implementation) {
  return title === undefined ? { name, version } : { name, version, title };
}
