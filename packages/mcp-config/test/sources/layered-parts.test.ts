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

/** One server of two of the user's own files, which are in folders of their own. */
async function joined(host: string, strong: object, weak: object, files: { [path: string]: unknown } = {}) {
  const { home } = await homeWith({ "strong/c.json": entry(strong), "weak/c.json": entry(weak), ...files });
  const [file, beneath] = [join(home, "strong/c.json"), [join(home, "weak/c.json")]];
  const { servers, diagnostics } = await parseHostFile({ host, file, beneath });
  const [server] = servers;
  if (!server) throw new Error("nothing was found", { cause: diagnostics });
  return { ...server, servers, home };
}

describe.skipIf(process.platform === "win32")("a command in the place of a value", () => {
  const options = { env: { PATH: process.env.PATH }, runCommands: true };
  const tokens = { "weak/tok": "right", "strong/tok": "other" };

  test("is run in the folder of the file that wrote it", async () => {
    const weak = { command: "x", args: ["$(cat ./tok)"], env: { T: "$(cat ./tok)" } };
    const { definition } = await joined("crush", { timeout: 5 }, weak, tokens);
    expect(await resolved(definition, options)).toMatchObject({ args: ["right"], env: { T: "right" } });
  });

  test("is another one where two files wrote the same", async () => {
    const weak = { command: "x", env: { WEAK: "$(cat ./tok)" } };
    const strong = { env: { STRONG: "$(cat ./tok)", NONE: "$(false)" } };
    const { definition } = await joined("crush", strong, weak, tokens);
    const { env } = (await resolved(definition, options)) as { env?: object };
    expect(env).toMatchObject({ STRONG: "other", WEAK: "right" });
    expect(env).not.toHaveProperty("NONE");
  });
});

describe("a file that a field refers to", () => {
  const tokens = { "weak/tok": "right", "strong/tok": "other", "weak/file": "file", "weak/url": "h" };

  test("is that of the file that wrote the field, in lists as well", async () => {
    const weak = { type: "local", command: ["{file:tok}", "--a={file:./tok}"], cwd: "/{file:tok}" };
    const { definition, home } = await joined("opencode", { environment: { T: "{file:tok}" } }, weak, tokens);
    expect(await resolved(definition, { env: { HOME: home } })).toMatchObject({
      ...{ command: "right", args: ["--a=right"], cwd: "/right", env: { T: "other" } },
    });
  });

  test("may be called like what stands before its name", async () => {
    const weak = { type: "remote", url: "https://{file:url}/", headers: { A: "{file:file}" } };
    const { definition } = await joined("opencode", { timeout: 5000 }, weak, tokens);
    expect(await resolved(definition)).toMatchObject({ url: "https://h/", headers: { A: "file" } });
  });

  test("is named in the settings for a login as for headers", async () => {
    const weak = { type: "remote", url: "https://h", oauth: { clientSecret: "{file:tok}", callbackPort: 1 } };
    const { definition, home } = await joined("opencode", { timeout: 5000 }, weak);
    const oauth = { clientSecret: `{file:${join(home, "weak/tok")}}`, callbackPort: 1 };
    expect(definition).toMatchObject({ oauth });
  });

  test("stays as it stands where the file wrote it that the whole is of", async () => {
    const weak = { type: "local", command: ["x", "{file:tok}"] };
    const { definition, home } = await joined("opencode", { environment: { T: "{file:tok}" } }, weak);
    const args = [`{file:${join(home, "weak/tok")}}`];
    expect(definition).toMatchObject({ args, env: { T: "{file:tok}" } });
  });

  test("stays in what is written as it stands", async () => {
    const weak = { type: "local", command: ["x", "{file:./tok}"], environment: { T: "{file:./tok}" } };
    const { written, servers } = await joined("opencode", { enabled: true }, weak);
    const expected = { args: ["{file:./tok}"], env: { T: "{file:./tok}" } };
    expect(written).toMatchObject(expected);
    expect(describeServers(servers)).toMatchObject({ a: expected });
  });
});

describe("which file wrote a field", () => {
  const CONTENT = '{"mcp":{"a":{"timeout":9000}}}';

  test("is told where another one of the same folder did", async () => {
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
    expect(approvalRequest(servers[0] as ServerDefinition).text).toContain(
      `\nfrom     "${file}" (project, for "${project}"): command\n`,
    );
  });

  test("is not told where it is that of the whole", async () => {
    const { discover } = await homeWith({
      [USER]: entry({ timeout: 5000 }),
      "work/opencode.json": entry({ command: ["./run"], cwd: "." }),
    });
    const { servers } = await discover({ hosts: ["opencode"] });
    expect(servers[0]?.definedIn.parts).toBeUndefined();
  });

  test("[threat T12] is shown to whoever approves, so that no two approvals look the same", async () => {
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
      // A project's own variable that loads code refuses the whole, so the user's entry is left.
      const [definition] = servers as [ServerDefinition];
      const { text } = approvalRequest(definition, "linux");
      seen.set(definitionContent(definition).replaceAll(home, "H"), text.replaceAll(home, "H"));
    }
    expect(new Set(seen.values()).size).toBe(seen.size);
    expect([...seen.values()].join("\n")).toContain(
      'from     "H/.config/opencode/opencode.json" (user): cwd',
    );
    expect([...seen.values()].join("\n")).toContain(": env.NODE_OPTIONS");
  });
});

describe("the parts of an entry that was joined", () => {
  const WHOLE: DefinedIn = { scope: "user", file: "/strong/c.json" };
  const ELSEWHERE: DefinedIn = { scope: "user", file: "/weak/c.json" };
  const partsIn = (value: object, writer = ELSEWHERE, whole = WHOLE) => {
    const dialect = dialectOf("opencode");
    if (!dialect) throw new Error("there is no such host");
    const joined = { value, whole, dialect, platform: "linux", writerOf: () => writer } as const;
    return Object.keys(partsOf(joined) ?? {});
  };

  test("are all settings for a login that refer to a file, and no others", () => {
    const names = ["clientId", "clientSecret", "redirectUri", "resource"];
    const referring = Object.fromEntries(names.map((name) => [name, "{file:x}"]));
    const remote = { type: "remote", url: "https://h" };
    expect(partsIn({ ...remote, oauth: referring })).toEqual(names.map((name) => `oauth.${name}`));
    expect(partsIn({ ...remote, oauth: { clientId: "c", clientSecret: "{env:S}" } })).toEqual([]);
  });

  test("have variables that load code only where a project has a part in the whole", () => {
    const server = { type: "local", command: ["x"], environment: { NODE_OPTIONS: "--x", A: "a" } };
    expect(partsIn(server)).toEqual(["command"]);
    const project = { ...WHOLE, scope: "project" } as const;
    expect(partsIn(server, ELSEWHERE, project)).toEqual(["command", "env.NODE_OPTIONS"]);
  });

  test("are not those of another path that leads to the same file", () => {
    const server = { type: "local", command: ["x"] };
    const linked = { ...WHOLE, file: "/link.json", realFile: WHOLE.file };
    expect([partsIn(server, linked), partsIn(server, WHOLE, linked)]).toEqual([[], []]);
    const other = { ...linked, realFile: "/other.json" };
    expect(partsIn(server, other, linked)).toEqual(["command"]);
  });
});

test("[threat T24] the whole is kept to the folder of a project's file, also where that is read by itself", async () => {
  const { home, project } = await homeWith({
    "own/c.json": entry({ timeout: 5 }),
    "work/crush.json": entry({ command: "x" }),
  });
  const [file, beneath] = [join(home, "own/c.json"), [join(project, "crush.json")]];
  const { servers } = await parseHostFile({ host: "crush", file, beneath });
  expect(servers).toMatchObject([{ definition: { definedIn: { scope: "project", file, root: project } } }]);
});

describe("a command of a project's layer beside a cwd of the user's own", () => {
  const find = async (command: string) => {
    const { project, discover } = await homeWith({
      [USER]: entry({ type: "local", command: ["u"], cwd: "/srv" }),
      "work/opencode.json": entry({ command: [command] }),
    });
    const { servers } = await discover({ hosts: ["opencode"] });
    expect(servers).toMatchObject([{ cwd: "/srv", definedIn: { scope: "project" } }]);
    return { project, resolving: resolved(servers[0], { missingVariable: "empty" }) };
  };

  test("[threat T24] does not lead out of the project once its variables are filled in", async () => {
    const { resolving } = await find("{env:NOPE}../evil");
    const error = await refused(resolving);
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
    expect(error.message).toContain('"command" leads out');
  });

  test("[threat T24] is one of the project's folder", async () => {
    const { project, resolving } = await find("{env:NOPE}./bin/x");
    expect(await resolving).toMatchObject({ command: join(project, "bin/x"), cwd: "/srv" });
  });
});
