import { createSecretKey } from "node:crypto";
import { basename, join } from "node:path";
import type { IdentifyOptions, ResolvedServer, ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { catalogIdentity } from "../src/catalog-identity.ts";
import { sampleServer } from "./catalog-samples.ts";

const KEY = createSecretKey(new Uint8Array(32).fill(1));

function identify(server: ResolvedServer, options: IdentifyOptions = {}, program = "/app/main.js") {
  return catalogIdentity(server, { key: KEY, program, ...options });
}

/** An entry whose secrets come from variables. */
const ENTRY: ServerDefinition = {
  name: "api",
  transport: "http",
  url: "https://example.com/mcp?token=${TOKEN}",
  headers: { Authorization: "Bearer ${TOKEN}" },
  definedIn: { scope: "explicit" },
};
const FILLED_IN = { definition: ENTRY };

function http(changes: Partial<Extract<ResolvedServer, { transport: "http" | "sse" }>> = {}): ResolvedServer {
  return {
    name: "api",
    transport: "http",
    url: "https://example.com/mcp?token=s3cret-1",
    headers: { Authorization: "Bearer s3cret-1", "X-Team": "a" },
    secrets: ["s3cret-1"],
    ...changes,
  };
}

describe("the identity of a server", () => {
  const apart: readonly [what: string, changes: Parameters<typeof sampleServer>[0]][] = [
    ["command", { command: "other-server" }],
    ["argument", { args: ["--root", "/home"] }],
    ["order of arguments", { args: ["/srv", "--root"] }],
    ["boundary between arguments", { args: ["--root /srv"] }],
    ["directory", { cwd: "/srv" }],
    ["value of a variable", { env: { LANG: "de_DE" } }],
    ["name of a variable", { env: { LC_ALL: "C" } }],
  ];

  test.each(apart)("differs for another %s", (_what, changes) => {
    expect(identify(sampleServer(changes)).id).not.toBe(identify(sampleServer()).id);
  });

  test.each([
    ["URL", { url: "https://example.org/mcp" }],
    ["header value", { headers: { Authorization: "Bearer s3cret-1", "X-Team": "b" } }],
    ["header name", { headers: { Authorization: "Bearer s3cret-1", "X-Group": "a" } }],
    ["transport", { transport: "sse" as const }],
  ])("differs for another %s of a remote server", (_what, changes) => {
    expect(identify(http(changes)).id).not.toBe(identify(http()).id);
  });

  test("[L8] differs between projects that define the same server name differently", () => {
    const here = identify(sampleServer({ name: "db", args: ["--dsn", "here"] }));
    const there = identify(sampleServer({ name: "db", args: ["--dsn", "there"] }));
    expect(here.id).not.toBe(there.id);
  });

  test("[L8] depends on the current directory if an argument names a file in it", () => {
    const [here, there] = [import.meta.dirname, join(import.meta.dirname, "fixtures")];
    const file = basename(import.meta.filename);
    const identifyIn = (directory: string, args: readonly string[], cwd?: string) => {
      const server = sampleServer({ args, cwd });
      return catalogIdentity(server, { key: KEY, program: "/app/main.js", directory }).id;
    };
    for (const args of [
      [`./${file}`],
      ["--import", file],
      [`--config=${file}`],
      ["-y", "server-files", "."],
    ]) {
      expect(identifyIn(here, args)).not.toBe(identifyIn(there, args));
      expect(identifyIn(here, args, "/srv")).toBe(identifyIn(there, args, "/srv"));
    }
    for (const args of [["-y", "server-files"], ["--config="], [""], [join(here, file)]]) {
      expect(identifyIn(here, args)).toBe(identifyIn(there, args));
    }
  });

  test("does not depend on limits", () => {
    expect(identify(http({ limits: { callTimeoutMs: 1 } })).id).toBe(identify(http()).id);
  });

  test("depends on the variables the entry sets, not on inherited ones", () => {
    const here = sampleServer({ env: { OWN: "1", TERM: "xterm" }, inherited: ["TERM"] });
    const there = sampleServer({ env: { OWN: "1", TERM: "vt100", LANG: "C" }, inherited: ["TERM", "LANG"] });
    expect(identify(here)).toEqual(identify(there));
    expect(identify(here).id).not.toBe(identify(sampleServer({ env: { OWN: "2" } })).id);
  });

  test("does not depend on the server's name", () => {
    expect(identify(sampleServer({ name: "other" }))).toEqual(identify(sampleServer()));
  });

  test("does not depend on the order of variables or the case of header names", () => {
    expect(identify(sampleServer({ env: { A: "1", B: "2" } }))).toEqual(
      identify(sampleServer({ env: { B: "2", A: "1" } })),
    );
    expect(identify(http({ headers: { "x-team": "a", authorization: "Bearer s3cret-1" } }))).toEqual(
      identify(http()),
    );
  });

  test("differs for every principal", () => {
    const ids = [undefined, "ada", "bob", ""].map((principal) => identify(sampleServer(), { principal }).id);
    expect(new Set(ids).size).toBe(4);
  });

  test("depends on name and program for an in-process server", () => {
    const server = {
      transport: "in-process",
      name: "notes",
      secrets: [],
      server: async () => never(),
    } as const;
    expect(identify(server).id).toBe(identify({ ...server }).id);
    expect(identify({ ...server, name: "mail" }).id).not.toBe(identify(server).id);
    expect(identify(server, {}, "/other/main.js").id).not.toBe(identify(server).id);
  });

  test("differs with another key, and so do the credentials", () => {
    const other = catalogIdentity(sampleServer({ secrets: ["abc"] }), {
      key: createSecretKey(new Uint8Array(32).fill(2)),
      program: "/app/main.js",
    });
    const own = identify(sampleServer({ secrets: ["abc"] }));
    expect(other.id).not.toBe(own.id);
    expect(other.credentials).not.toBe(own.credentials);
  });
});

describe("secrets in a server's identity", () => {
  test("[L6] a renewed token keeps the id and changes the credentials", () => {
    const before = identify(http(), FILLED_IN);
    const after = identify(
      http({
        url: "https://example.com/mcp?token=another/one",
        headers: { Authorization: "Bearer another/one", "X-Team": "a" },
        secrets: ["another/one"],
      }),
      FILLED_IN,
    );
    expect(after.id).toBe(before.id);
    expect(after.credentials).not.toBe(before.credentials);
  });

  describe("that the entry itself holds", () => {
    const entries: readonly [
      what: string,
      one: Partial<ServerDefinition>,
      other: Partial<ServerDefinition>,
    ][] = [
      [
        "header",
        { headers: { Authorization: "Bearer s3cret-1" } },
        { headers: { Authorization: "Bearer s3cret-2" } },
      ],
      [
        "user info",
        { url: "https://ann:s3cret-1@example.com/" },
        { url: "https://ann:s3cret-2@example.com/" },
      ],
      ["query", { url: "https://example.com/?key=s3cret-1" }, { url: "https://example.com/?key=s3cret-2" }],
      ["argument", { args: ["--key", "s3cret-1"] }, { args: ["--key", "s3cret-2"] }],
      ["environment", { env: { API_KEY: "s3cret-1" } }, { env: { API_KEY: "s3cret-2" } }],
      ["client", { oauth: { clientId: "s3cret-1" } }, { oauth: { clientId: "s3cret-2" } }],
      ["variable's name", { bearerTokenEnv: "ANN_TOKEN" }, { bearerTokenEnv: "BOB_TOKEN" }],
      ["unknown field", { extra: { account: "s3cret-1" } }, { extra: { account: "s3cret-2" } }],
    ];

    test.each(entries)("tell accounts apart: %s", (_what, one, other) => {
      const idOf = (written: Partial<ServerDefinition>) =>
        identify(http(), { definition: { ...ENTRY, ...written } as ServerDefinition }).id;
      expect(idOf(one)).not.toBe(idOf(other));
      expect(idOf(one)).toBe(idOf(Object.fromEntries(Object.entries(one).reverse())));
      expect(JSON.stringify(identify(http(), { definition: ENTRY }))).not.toContain("s3cret");
    });

    test("tell accounts apart if the entry is not known", () => {
      const other = http({ headers: { Authorization: "Bearer s3cret-2" }, secrets: ["s3cret-2"] });
      expect(identify(other).id).not.toBe(identify(http()).id);
    });

    test("do not tell apart what says nothing of the account", () => {
      const moved = { ...ENTRY, definedIn: { scope: "user", file: "/home/mcp.json", line: 3 } } as const;
      const changed = { ...moved, name: "b", lazy: true, limits: { maxTools: 1 }, tools: { include: ["*"] } };
      expect(identify(http(), { definition: changed })).toEqual(identify(http(), FILLED_IN));
    });
  });

  test("another login is another account", () => {
    const ids = [undefined, "login-1", "login-2"].map((account) => identify(http(), { account }).id);
    expect(new Set(ids).size).toBe(3);
    expect(identify(http(), { account: "ann" }).id).not.toBe(identify(http(), { principal: "ann" }).id);
  });

  test("a secret in a URL is recognised when URL-encoded", () => {
    const withToken = (token: string) =>
      identify(
        http({ url: `https://example.com/?t=${encodeURIComponent(token)}`, headers: {}, secrets: [token] }),
        FILLED_IN,
      );
    expect(withToken("a b+c").id).toBe(withToken("d&e").id);
  });

  test("a short secret inside a longer one is replaced with it", () => {
    const withSecrets = (long: string, short: string) =>
      identify(sampleServer({ args: [long, short], secrets: [short, long] }), FILLED_IN).id;
    expect(withSecrets("k9-tail", "k9")).toBe(withSecrets("zz", "q"));
  });

  test("the order of secrets does not matter, and empty or repeated ones are ignored", () => {
    const one = identify(sampleServer({ env: { A: "x1", B: "y2" }, secrets: ["x1", "y2"] }));
    const two = identify(sampleServer({ env: { A: "x1", B: "y2" }, secrets: ["y2", "", "x1", "x1"] }));
    expect(two).toEqual(one);
  });

  test("a secret that is not well-formed Unicode is recognised too", () => {
    expect(identify(sampleServer({ args: ["\ud800"], secrets: ["\ud800"] }), FILLED_IN).id).toBe(
      identify(sampleServer({ args: ["token"], secrets: ["token"] }), FILLED_IN).id,
    );
  });

  test("id and credentials are plain 64-digit hashes", () => {
    const { id, credentials } = identify(http());
    expect([id, credentials]).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });
});

function never(): never {
  throw new Error("An identity opens nothing.");
}
