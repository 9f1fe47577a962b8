import { expect, test } from "vitest";
import { useLeakCheck } from "../../src/leak-check.ts";
import {
  createInProcessFaultServer,
  type InProcessTransport,
} from "../../src/servers/in-process-fault-server.ts";
import type { RpcMessage } from "../../src/servers/rpc-message.ts";

useLeakCheck();

/** A transport that only records what the server sends. */
function createTransport() {
  const sent: RpcMessage[] = [];
  let tell = (_message: RpcMessage) => {};
  const transport: InProcessTransport = {
    async start() {},
    async send(message) {
      sent.push(message);
      tell(message);
    },
    async close() {
      transport.onclose?.();
    },
  };
  const next = () =>
    new Promise<RpcMessage>((resolve) => {
      tell = resolve;
    });
  return { transport, sent, next };
}

test("a server answers asynchronously and records what it receives", async () => {
  const server = createInProcessFaultServer();
  const { transport, sent, next } = createTransport();
  await server.connect(transport);
  const answer = next();
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
  transport.onmessage?.(ping);
  expect(sent).toEqual([]);
  expect(await answer).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  expect(server.received).toEqual([ping]);
});

test("a closed server sends nothing more, and can connect to another transport", async () => {
  const server = createInProcessFaultServer({ answerLateMs: { ping: 600_000 } });
  const { transport, sent } = createTransport();
  await server.connect(transport);
  await expect(server.connect(createTransport().transport)).rejects.toThrow("connected already");
  transport.onmessage?.({ jsonrpc: "2.0", id: 1, method: "ping" });
  await server.close();
  await server.close();
  expect(sent).toEqual([]);

  const other = createTransport();
  await server.connect(other.transport);
  const answer = other.next();
  other.transport.onmessage?.({ jsonrpc: "2.0", id: 2, method: "tools/list" });
  expect((await answer).result?.tools).toHaveLength(4);
});
