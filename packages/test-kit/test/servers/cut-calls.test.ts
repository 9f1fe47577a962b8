import { request } from "node:http";
import { expect, test } from "vitest";
import { startHttpFaultServer } from "../../src/servers/http-fault-server.ts";
import type { TcpConnectionPlan } from "../../src/servers/tcp-connection-plan.ts";
import { startTcpFaultProxy } from "../../src/servers/tcp-fault-proxy.ts";
import { atEnd } from "../cleanup.ts";

/** A server behind a proxy. Each call has its own connection, with its own plan. */
async function startLine() {
  const server = await startHttpFaultServer({ sessionless: true });
  atEnd(() => server.close());
  const proxy = await startTcpFaultProxy(server.url);
  atEnd(() => proxy.close());
  const call = (nonce: string, plan: TcpConnectionPlan): Promise<string | undefined> => {
    proxy.setPlan([plan]);
    const params = { name: "echo", arguments: { nonce } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    return new Promise((resolve) => {
      const sent = request(proxy.url, { method: "POST", agent: false }, async (response) => {
        resolve(
          await response.toArray().then(
            (chunks) => Buffer.concat(chunks).toString(),
            () => undefined,
          ),
        );
      });
      sent.on("error", () => resolve(undefined)).end(body);
    });
  };
  const bytesOf = async () => {
    await call("measured", {});
    await proxy.until((connections) => connections[0]?.isOpen === false);
    return proxy.connections[0] as { requestBytes: number; answerBytes: number };
  };
  return { server, proxy, call, bytesOf };
}

test("a call is not carried out when its request is cut at any byte", async () => {
  const { server, call, bytesOf } = await startLine();
  const { requestBytes } = await bytesOf();
  for (let cutAtByte = 0; cutAtByte < requestBytes; cutAtByte += 7) {
    const nonce = `cut at ${cutAtByte}`;
    expect(await call(nonce, { request: { cutAtByte } })).toBe(undefined);
    expect(server.timesCarriedOut(nonce)).toBe(0);
  }
});

test("a call is carried out once but not answered when its answer is cut at any byte", async () => {
  const { server, call, bytesOf } = await startLine();
  const { answerBytes } = await bytesOf();
  for (let cutAtByte = 0; cutAtByte < answerBytes; cutAtByte += 13) {
    const nonce = `cut at ${cutAtByte}`;
    expect(await call(nonce, { answer: { cutAtByte, cutBy: "fin" } })).toBe(undefined);
    expect(server.timesCarriedOut(nonce)).toBe(1);
  }
});

test("a call is carried out once and its connection stays open when its answer is swallowed", async () => {
  const { server, proxy, call } = await startLine();
  const pending = call("swallowed", { answer: { swallowFromByte: 0 } });
  await server.until(() => server.timesCarriedOut("swallowed") === 1);
  expect(proxy.connections).toMatchObject([{ isOpen: true, answerBytes: 0 }]);
  proxy.cut();
  expect(await pending).toBe(undefined);
});
