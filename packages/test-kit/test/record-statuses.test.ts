import type { McpEvents, ServerStatus } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { recordStatuses, type StatusSource } from "../src/record-statuses.ts";

function statusSource() {
  const listeners = new Set<(event: McpEvents["statusChanged"]) => void>();
  const source: StatusSource = {
    on(_event, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const say = (name: string, before: ServerStatus, status: ServerStatus) => {
    const snapshot = {
      name,
      status,
      transport: "stdio",
      since: 0,
      tools: 0,
      toolsFrom: "none",
      calls: 0,
      failures: 0,
      definedIn: { scope: "explicit" },
    } as const;
    for (const listener of listeners) listener({ before, snapshot });
  };
  return { source, say };
}

test("each server's statuses are kept in order, repetitions included", () => {
  const { source, say } = statusSource();
  const statuses = recordStatuses(source);
  say("a", "idle", "connecting");
  say("b", "idle", "connecting");
  say("a", "connecting", "backoff");
  say("a", "backoff", "connecting");
  expect(statuses.of("a")).toEqual(["connecting", "backoff", "connecting"]);
  expect(statuses.of("b")).toEqual(["connecting"]);
  expect(statuses.of("c")).toEqual([]);
});

test("a status can be waited for, be it past or future", async () => {
  const { source, say } = statusSource();
  const statuses = recordStatuses(source);
  const ready = statuses.reached("a", "ready");
  say("b", "connecting", "ready");
  say("a", "idle", "connecting");
  await statuses.reached("a", "connecting");
  say("a", "connecting", "ready");
  await ready;
});

test("nothing is recorded after the end", () => {
  const { source, say } = statusSource();
  const statuses = recordStatuses(source);
  statuses.stop();
  say("a", "idle", "connecting");
  expect(statuses.of("a")).toEqual([]);
});
