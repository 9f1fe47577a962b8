import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createProxiedConnection } from "../../src/servers/tcp-connection.ts";
import { atEnd } from "../cleanup.ts";
import { dial, startRawServer } from "./raw-tcp.ts";

/** The proxy's side of a connection that has just been accepted. */
async function acceptedClient(): Promise<Socket> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  atEnd(() => server.close());
  await once(server, "listening");
  const accepting = once(server, "connection");
  dial((server.address() as AddressInfo).port);
  const [client] = await accepting;
  return client as Socket;
}

test("a cut closes the server's socket even if the client's socket fails during it", async () => {
  const server = await startRawServer();
  const client = await acceptedClient();
  const { hostname: host, port } = new URL(server.url);
  const target = { host, port: Number(port) };
  const connection = createProxiedConnection({ number: 0, client, target, plan: {}, onChanged: () => {} });
  client.resume();
  await server.next();
  connection.cut("fin");
  process.nextTick(() => client.destroy(new Error("the client's socket failed")));
  await new Promise((closed) => client.on("close", closed));
  await connection.destroy();
  expect(connection.isOpen).toBe(false); // The leak check after the test finds a socket that Node has lost.
});
