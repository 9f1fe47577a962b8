import { expect, test, vi } from "vitest";
import { callListener } from "../src/protocol/session-listeners.ts";
import { connect } from "./connecting.ts";
import { scriptedServer } from "./scripted-server.ts";

test.each<[string, () => unknown]>([
  [
    "throws",
    () => {
      throw new Error("the listener's own");
    },
  ],
  ["is async and rejects", async () => Promise.reject(new Error("the listener's own"))],
])("the error of a listener that %s is passed to onFailed", async (_, listener) => {
  const onFailed = vi.fn();
  callListener(listener, onFailed);
  await vi.waitUntil(() => onFailed.mock.calls.length > 0);
  expect(onFailed).toHaveBeenCalledExactlyOnceWith(new Error("the listener's own"));
});

test("async listeners of progress, notifications and close that reject crash no program", async () => {
  const rejections = vi.fn();
  process.on("unhandledRejection", rejections);
  const server = scriptedServer((message, { send }) => {
    if (message.method !== "tools/call") return undefined;
    send({ method: "notifications/tools/list_changed" });
    const progressToken = message.params._meta.progressToken;
    for (const progress of [1, 2, 3])
      send({ method: "notifications/progress", params: { progressToken, progress } });
    return false;
  });
  const failing = vi.fn(async () => {
    throw new Error("the listener's own");
  });
  const session = await connect(server, { log: failing });
  session.onNotification(failing);
  session.onClose(failing);
  await session.request("tools/call", { name: "echo", arguments: {} }, { onProgress: failing });
  await session.close();
  await new Promise(setImmediate);
  process.off("unhandledRejection", rejections);
  // Three times for progress, once for the notification and once for the close, and the log of these two failures.
  expect(failing).toHaveBeenCalledTimes(7);
  expect(rejections).not.toHaveBeenCalled();
});
