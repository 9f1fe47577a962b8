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
  const emit = (name: string, before: ServerStatus, status: ServerStatus) => {
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
  return { source, emit };
}

/** Resolves after the promises that are resolved now have told their listeners. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("statuses are kept per server, in order and with repetitions", () => {
  const { source, emit } = statusSource();
  const statuses = recordStatuses(source);
  emit("a", "idle", "connecting");
  emit("b", "idle", "connecting");
  emit("a", "connecting", "backoff");
  emit("a", "backoff", "connecting");
  expect(statuses.of("a")).toEqual(["connecting", "backoff", "connecting"]);
  expect(statuses.of("b")).toEqual(["connecting"]);
  expect(statuses.of("c")).toEqual([]);
});

test("reached resolves for a past and for a future status", async () => {
  const { source, emit } = statusSource();
  const statuses = recordStatuses(source);
  const reached: string[] = [];
  const watch = (server: string, status: ServerStatus) => {
    void statuses.reached(server, status).then(() => reached.push(status));
    return settled();
  };
  await watch("a", "ready");
  emit("b", "connecting", "ready");
  emit("a", "idle", "connecting");
  await watch("a", "connecting");
  expect(reached).toEqual(["connecting"]);
  emit("a", "connecting", "ready");
  await settled();
  expect(reached).toEqual(["connecting", "ready"]);
});

test("nothing is recorded after stop", () => {
  const { source, emit } = statusSource();
  const statuses = recordStatuses(source);
  statuses.stop();
  emit("a", "idle", "connecting");
  expect(statuses.of("a")).toEqual([]);
});
