import { type CatalogKind, McpError } from "@jackfield/mcp-core";
import {
  createFakeSession,
  type FakeAnswer,
  type FakeSession,
  type FakeSessionOptions,
} from "@jackfield/test-kit";
import type { McpManagerOptions } from "../../src/index.ts";
import { createFixture, type Fixture } from "../manager-fixture.ts";

export const README = { uri: "file:///readme", name: "readme" };
export const LOG = { uri: "file:///log", name: "log" };
export const FILE = { uriTemplate: "file:///{path}", name: "file" };
export const REVIEW = { name: "review" };

/** The error of a request whose connection broke before it was sent. */
export const broken = new McpError("MCP_SESSION_LOST", "refused", { server: "s", outcome: "not-sent" });

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
};

export interface ContextSessionOptions extends Pick<FakeSessionOptions, "items" | "handshake"> {
  readonly answer?: FakeAnswer;
  /** Kinds whose lists fail. */
  readonly failing?: Map<CatalogKind, McpError>;
}

/** A session of a server with two resources, a template and a prompt. */
export function contextSession({ failing, ...options }: ContextSessionOptions = {}): FakeSession {
  const session = createFakeSession({
    handshake: { capabilities: CAPABILITIES },
    items: { resources: [README, LOG], resourceTemplates: [FILE], prompts: [REVIEW] },
    ...options,
  });
  const list = session.list.bind(session);
  session.list = async (kind, at) => {
    const error = failing?.get(kind);
    if (error === undefined) return list(kind, at);
    throw error;
  };
  return session;
}

export interface ContextFixture extends Fixture {
  /** Lets the next attempt succeed with this session. */
  open(session?: FakeSession): Promise<FakeSession>;
}

/** A manager of one server, `s`, whose sessions the test opens. */
export function contextFixture(options: Partial<McpManagerOptions> = {}): ContextFixture {
  const fixture = createFixture(["s"], { byHand: true, ...options });
  return {
    ...fixture,
    async open(session = contextSession()) {
      const attempt = await fixture.connector.nextAttempt();
      attempt.open(session);
      // The manager takes it within the same turn of the event loop.
      const isTaken = () => fixture.manager.servers()[0]?.status !== "connecting";
      for (let step = 0; step < 100 && !isTaken(); step += 1) await Promise.resolve();
      return session;
    },
  };
}

/** A manager that is started, with an open session. */
export async function openedFixture(
  options: Partial<McpManagerOptions> = {},
  session?: FakeSession,
): Promise<ContextFixture & { readonly session: FakeSession }> {
  const fixture = contextFixture(options);
  const starting = fixture.manager.start();
  const opened = await fixture.open(session);
  await starting;
  return { ...fixture, session: opened };
}
