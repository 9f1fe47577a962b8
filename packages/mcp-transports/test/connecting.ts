import {
  type ConnectOptions,
  type McpError,
  type ResolvedServer,
  type Session,
  silentLogger,
} from "@jackfield/mcp-core";
import { expect } from "vitest";
import { createConnector } from "../src/index.ts";
import { atEnd } from "./cleanup.ts";

/** Connects, and closes the session when the test ends. */
export async function connect(
  server: ResolvedServer,
  options: Partial<ConnectOptions> = {},
): Promise<Session> {
  const session = await createConnector()(server, {
    signal: new AbortController().signal,
    log: silentLogger,
    ...options,
  });
  atEnd(() => session.close());
  return session;
}

/** The error that connecting fails with. */
export function failToConnect(
  server: ResolvedServer,
  options: Partial<ConnectOptions> = {},
): Promise<McpError> {
  return failureOf(connect(server, options));
}

/** The error a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<McpError> {
  const error = await promise.then(
    () => expect.fail("it succeeded"),
    (reason) => reason,
  );
  expect(error).toHaveProperty("name", "McpError");
  return error;
}
