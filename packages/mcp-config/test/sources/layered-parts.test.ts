import { join } from "node:path";
import type { DefinedIn, ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { approvalRequest } from "../../src/approval/approval-request.ts";
import { definitionContent } from "../../src/approval/definition-content.ts";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import {
  createServerResolver,
  describeServers,
  parseHostFile,
  type ServerResolverOptions,
} from "../../src/index.ts";
import { partsOf } from "../../src/sources/layered-parts.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { refused, signal } from "../resolution.ts";

const homeWith = useHomeFolder();
const USER = ".config/opencode/opencode.json";
const entry = (written: object) => ({ mcp: { a: written } });

async function resolved(definition: ServerDefinition | undefined, options: ServerResolverOptions = {}) {
  const resolver = createServerResolver({ env: {}, isAdmitted: () => true, ...options });
  return resolver(definition as ServerDefinition, { signal });
}

/** One server merged from two files of the user, each in its own folder. */
async function joined(host: string, strong: object, weak: object, files: { [path: string]: unknown } = {}) {
  const { home } = await homeWith({ "strong/c.json": entry(strong), "weak/c.json": entry(weak), ...files });
  const [file, beneath] = [join(home, "strong/c.json"), [join(home, "weak/c.json")]];
  const { servers, diagnostics } = await parseHostFile({ host, file, beneath });
  const [server] = servers;
  if (!server) throw new Error("nothing was found", { cause: diagnostics });
  return { ...server, servers, home };
}

describe.skipIf(process.platform === "win32")("a command in place of a value", () => {
  const options = { env: { PATH: process.env.PATH }, runCommands: true };
  const tokens = { "weak/tok": "right", "strong/tok": "other" };

  test("runs in the folder of the file that wrote it", async () => {
    const weak = { command: "x", args: ["$(cat ./tok)"], env: { T: "$(cat ./tok)" } };
    const { definition } = await joined("crush", { timeout: 5 }, weak, tokens);
    expect(await resolved(definition, options)).toMatchObject({ args: ["right"], env: { T: "right" } });
  });

  test("runs in each file's folder if two files wrote the same command", async () => {
    const weak = { command: "x", env: { WEAK: "$(cat ./tok)" } };
    const strong = { env: { STRONG: "$(cat ./tok)", NONE: "$(false)" } };
    const { definition } = await joined("crush", strong, weak, tokens);
    const { env } = (await resolved(definition, options)) as { env?: object };
    expect(env).toMatchObject({ STRONG: "other", WEAK: "right" });
    expect(env).not.toHaveProperty("NONE");
  });
});

describe("a file reference in a merged entry", () => {
  const tokens = { "weak/tok": "right", "strong/tok": "other", "weak/file": "file", "weak/url": "h" };

  test("is relative to the file that wrote the field, in lists too", async () => {
    const weak = { type: "local", command: ["{file:tok}", "--a={file:./tok}"], cwd: "/{file:tok}" };
    const { definition, home } = await joined("opencode", { environment: { T: "{file:tok}" } }, weak, tokens);
    expect(await resolved(definition, { env: { HOME: home } })).toMatchObject({
      ...{ command: "right", args: ["--a=right"], cwd: "/right", env: { T: "other" } },
    });
  });

  test("may lead to a file called file or url", async () => {
    const weak = { type: "remote", url: "https://{file:url}/", headers: { A: "{file:file}" } };
    const { definition } = await joined("opencode", { timeout: 5000 }, weak, tokens);
    expect(await resolved(definition)).toMatchObject({ url: "https://h/", headers: { A: "file" } });
  });

  test("becomes an absolute path in OAuth settings", async () => {
    const weak = { type: "remote", url: "https://h", oauth: { clientSecret: "{file:tok}", callbackPort: 1 } };
    const { definition, home } = await joined("opencode", { timeout: 5000 }, weak);
    const oauth = { clientSecret: `{file:${join(home, "weak/tok")}}`, callbackPort: 1 };
    expect(definition).toMatchObject({ oauth });
  });

  test("stays as written if the strongest file wrote it", async () => {
    const weak = { type: "local", command: ["x", "{file:tok}"] };
    const { definition, home } = await joined("opencode", { environment: { T: "{file:tok}" } }, weak);
    const args = [`{file:${join(home, "weak/tok")}}`];
    expect(definition).toMatchObject({ args, env: { T: "{file:tok}" } });
  });

  test("stays unchanged in the written entry and in describeServers", async () => {
    const weak = { type: "local", command: ["x", "{file:./tok}"], environment: { T: "{file:./tok}" } };
    const { written, servers } = await joined("opencode", { enabled: true }, weak);
    const expected = { args: ["{file:./tok}"], env: { T: "{file:./tok}" } };
    expect(written).toMatchObject(expected);
    expect(describeServers(servers)).toMatchObject({ a: expected });
  });
});

describe("the source file of a field", () => {
  const CONTENT = '{"mcp":{"a":{"timeout":9000}}}';

  test("is recorded and shown if another file of the same folder wrote the field", async () => {
    const { project, discover } = await homeWith({ "work/opencode.json": entry({ command: ["./run"] }) });
    const env = { OPENCODE_CONFIG_CONTENT: CONTENT };
    const { servers } = await discover({ hosts: ["opencode"], env });
    const file = join(project, "opencode.json");
    expect(servers).toMatchObject([
      {
        command: join(project, "run"),
        definedIn: {
          ...{ scope: "project", file: join(project, "$OPENCODE_CONFIG_CONTENT") },
          parts: { command: { scope: "project", file } },
        },
      },
    ]);
    const { text } = approvalRequest(servers[0] as ServerDefinition);
    expect(text.replace(/\n {7}\u2502 /g, "")).toContain(
      `\nfrom     "${file}" (project, for "${project}"): command\n`,
    );
  });

  test("is not recorded if it is the file of the whole entry", async () => {
    const { discover } = await homeWith({
      [USER]: entry({ timeout: 5000 }),
      "work/opencode.json": entry({ command: ["./run"], cwd: "." }),
    });
    const { servers } = await discover({ hosts: ["opencode"] });
    expect(servers[0]?.definedIn.parts).toBeUndefined();
  });

  test("[threat T12] is shown in the approval request, so that different contents look different", async () => {
    const server = { type: "local", command: ["srv"], cwd: "/srv" };
    const settings = { timeout: 5000, environment: { NODE_OPTIONS: "--x" } };
    const layers: readonly (readonly [object, object])[] = [
      [settings, server],
      [settings, { ...server, environment: { NODE_OPTIONS: "--x" } }],
      [{ timeout: 5000 }, { ...server, environment: { NODE_OPTIONS: "--x" } }],
      [
        { timeout: 5000, command: ["srv"] },
        { ...server, environment: { NODE_OPTIONS: "--x" } },
      ],
    ];
    const seen = new Map<string, string>();
    for (const [mine, users] of layers) {
      const { home, discover } = await homeWith({ [USER]: entry(users), "work/opencode.json": entry(mine) });
      const { servers } = await discover({ hosts: ["opencode"] });
      // A project's own loader variable makes the merged entry refused, so the user's entry remains.
      const [definition] = servers as [ServerDefinition];
      const { text } = approvalRequest(definition, "linux");
      seen.set(
        definitionContent(definition).replaceAll(home, "H"),
        text.replace(/\n {7}\u2502 /g, "").replaceAll(home, "H"),
      );
    }
    expect(new Set(seen.values()).size).toBe(seen.size);
    expect([...seen.values()].join("\n")).toContain(
      'from     "H/.config/opencode/opencode.json" (user): cwd',
    );
    expect([...seen.values()].join("\n")).toContain(": env.NODE_OPTIONS");
  });
});

describe("the parts of a merged entry", () => {
  const WHOLE: DefinedIn = { scope: "user", file: "/strong/c.json" };
  const ELSEWHERE: DefinedIn = { scope: "user", file: "/weak/c.json" };
  const partsIn = (value: object, writer = ELSEWHERE, whole = WHOLE) => {
    const dialect = dialectOf("opencode");
    if (!dialect) throw new Error("there is no such host");
    const joined = { value, whole, dialect, platform: "linux", writerOf: () => writer } as const;
    return Object.keys(partsOf(joined) ?? {});
  };

  test("include every OAuth setting with a file reference and no other", () => {
    const names = ["clientId", "clientSecret", "redirectUri", "resource"];
    const referring = Object.fromEntries(names.map((name) => [name, "{file:x}"]));
    const remote = { type: "remote", url: "https://h" };
    expect(partsIn({ ...remote, oauth: referring })).toEqual(names.map((name) => `oauth.${name}`));
    expect(partsIn({ ...remote, oauth: { clientId: "c", clientSecret: "{env:S}" } })).toEqual([]);
  });

  test("include loader variables only if a project contributes to the entry", () => {
    const server = { type: "local", command: ["x"], environment: { NODE_OPTIONS: "--x", A: "a" } };
    expect(partsIn(server)).toEqual(["command"]);
    const project = { ...WHOLE, scope: "project" } as const;
    expect(partsIn(server, ELSEWHERE, project)).toEqual(["command", "env.NODE_OPTIONS"]);
  });

  test("exclude fields from the same file under another path", () => {
    const server = { type: "local", command: ["x"] };
    const linked = { ...WHOLE, file: "/link.json", realFile: WHOLE.file };
    expect([partsIn(server, linked), partsIn(server, WHOLE, linked)]).toEqual([[], []]);
    const other = { ...linked, realFile: "/other.json" };
    expect(partsIn(server, other, linked)).toEqual(["command"]);
  });
});

test("[threat T24] parseHostFile confines a user's file over a project's one to the project", async () => {
  const { home, project } = await homeWith({
    "own/c.json": entry({ timeout: 5 }),
    "work/crush.json": entry({ command: "x" }),
  });
  const [file, beneath] = [join(home, "own/c.json"), [join(project, "crush.json")]];
  const { servers } = await parseHostFile({ host: "crush", file, beneath });
  expect(servers).toMatchObject([{ definition: { definedIn: { scope: "project", file, root: project } } }]);
});

describe("a project layer's command beside the user's cwd", () => {
  const find = async (command: string) => {
    const { project, discover } = await homeWith({
      [USER]: entry({ type: "local", command: ["u"], cwd: "/srv" }),
      "work/opencode.json": entry({ command: [command] }),
    });
    const { servers } = await discover({ hosts: ["opencode"] });
    expect(servers).toMatchObject([{ cwd: "/srv", definedIn: { scope: "project" } }]);
    return { project, resolving: resolved(servers[0], { missingVariable: "empty" }) };
  };

  test("[threat T24] is refused if it leads out of the project once its variables are filled in", async () => {
    const { resolving } = await find("{env:NOPE}../evil");
    const error = await refused(resolving);
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
    expect(error.message).toContain('"command" leads out');
  });

  test("[threat T24] is relative to the project's folder", async () => {
    const { project, resolving } = await find("{env:NOPE}./bin/x");
    expect(await resolving).toMatchObject({ command: join(project, "bin/x"), cwd: "/srv" });
  });
});
