import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  startAuthorizationServer,
  startHttpFaultServer,
  startProtectedServer,
  startRealStore,
} from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";

const EXAMPLE = fileURLToPath(new URL("../fleet.mts", import.meta.url));
const STORES = [
  ["Redis", await startRealStore("redis")],
  ["Postgres", await startRealStore("postgres")],
] as const;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}

describe.each(STORES)("the guide's program on two machines, with its logins in %s", (_, store) => {
  it.skipIf(store === undefined)(
    "logs a user in on one, serves him on both, and renews his token once",
    async () => {
      if (store === undefined) return;
      await using authority = await startAuthorizationServer();
      await using behind = await startHttpFaultServer();
      await using guarded = await startProtectedServer({
        authorizationServer: authority,
        behind: behind.url,
      });
      const [LOGINS_KEY, CATALOG_KEY] = [1, 2].map(() => randomBytes(32).toString("hex"));
      const ports = [await freePort(), await freePort()];
      const env = {
        ...{ PATH: process.env.PATH, STORE_URL: store.url, MAIL_URL: guarded.url, LOGINS_KEY, CATALOG_KEY },
        ORIGIN: `http://127.0.0.1:${ports[0]}`,
      };
      const machines: ChildProcess[] = ports.map((port) =>
        spawn(process.execPath, ["--no-warnings", EXAMPLE], {
          env: { ...env, PORT: String(port) },
          stdio: ["ignore", "pipe", "inherit"],
        }),
      );
      const ask = (port: number | undefined, path: string, cookie: string) =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie }, redirect: "manual" });
      try {
        for (const { stdout } of machines) if (stdout) await once(createInterface({ input: stdout }), "line");
        const [first, second] = ports;
        const refused = await ask(first, "/", "ann=1");
        expect(refused.status).toBe(401);
        expect(await refused.json()).toMatchObject({
          login: { server: "mail", principal: "ann", scopes: [] },
        });

        const page = await ask(first, "/connect", "ann=1");
        const back = await fetch(page.headers.get("location") ?? "", { redirect: "manual" });
        const { pathname, search } = new URL(back.headers.get("location") ?? "");
        const finished = await ask(second, `${pathname}${search}`, "ann=1");
        expect(finished.status).toBe(302);
        for (const port of ports) {
          const answered = await untilAnswered(() => ask(port, "/", "ann=1"));
          expect(await answered.json()).toMatchObject({
            content: [{ text: expect.stringContaining("ann") }],
          });
        }
        expect((await ask(second, "/", "bob=2")).status).toBe(401);

        const renewals = () =>
          authority
            .requestsTo("/token")
            .filter(({ parameters }) => parameters.grant_type === "refresh_token");
        authority.office.expireAccessTokens();
        const answers = await Promise.all([...ports, ...ports].map((port) => ask(port, "/", "ann=1")));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect(renewals()).toHaveLength(1);

        const exits = machines.map((machine) => once(machine, "exit"));
        for (const machine of machines) machine.kill("SIGTERM");
        expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0]);
      } finally {
        for (const machine of machines) machine.kill("SIGKILL");
        await store[Symbol.asyncDispose]();
      }
    },
  );
});

/** The machine that did not see the login tries again a second after its last attempt. */
async function untilAnswered(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status !== 401) return response;
    await response.body?.cancel();
  }
}
