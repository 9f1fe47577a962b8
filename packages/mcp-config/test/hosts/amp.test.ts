import { describe, expect, test } from "vitest";
import { readAmpPermissions } from "../../src/hosts/amp-permissions.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const LIST = "amp.mcpPermissions";

const SERVERS = {
  bare: { command: "npx" },
  evil: { command: "npx", args: ["-y", "evil-pkg"] },
  good: { command: "npx", args: ["-y", "@good/pkg"] },
  node: { command: "node", args: ["evil.js"] },
  hub: { url: "https://HUB.example/mcp" },
  other: { type: "sse", url: "https://other.example/sse" },
};
const CHILDREN = ["bare", "evil", "good", "node"];
const ALL = [...CHILDREN, "hub", "other"];

/** Which servers the rules switch off, and the diagnostics about anything else. */
async function rejectedBy(rules: unknown) {
  const content = { "amp.mcpServers": SERVERS, [LIST]: rules };
  const { servers, diagnostics } = await parse(content, { host: "amp", file: "/folder/settings.json" });
  expect(servers.map(({ name }) => name)).toEqual(ALL);
  const off = servers.filter(({ definition }) => definition.enabled === false);
  for (const { written, definition } of off) {
    expect([written.enabled, definition.disabledBy]).toEqual([false, LIST]);
  }
  const isSwitch = ({ code }: { readonly code: string }) => code === "disabled-by-host";
  expect(diagnostics.filter(isSwitch)).toHaveLength(off.length);
  return { off: off.map(({ name }) => name), faults: diagnostics.filter((found) => !isSwitch(found)) };
}

const reject = (matches: unknown) => ({ matches, action: "reject" });
const allow = (matches: unknown) => ({ matches, action: "allow" });

describe("Amp permission rules", () => {
  test.each<[string, unknown[], string[]]>([
    ["no rules", [], []],
    ["a command", [reject({ command: "npx" })], ["bare", "evil", "good"]],
    ["a part of a command", [reject({ command: "px" })], []],
    ["a command and arguments", [reject({ command: "npx", args: "*evil*" })], ["evil"]],
    ["arguments", [reject({ args: "*evil*" })], ["evil", "node"]],
    ["joined arguments", [reject({ args: "-y *" })], ["evil", "good"]],
    ["no arguments", [reject({ args: "" })], ["bare"]],
    ["a command pattern that contains arguments", [reject({ command: "npx -y @good/*" })], ["good"]],
    ["several commands", [reject({ command: ["node", "npx *"] })], ["evil", "good", "node"]],
    ["a command pattern that contains arguments, beside args", [reject({ command: "npx *", args: "*" })], []],
    ["every command", [reject({ command: "*" })], CHILDREN],
    ["a URL", [reject({ url: "https://hub.example/*" })], ["hub"]],
    ["every URL", [reject({ url: "*" })], ["hub", "other"]],
    ["a URL and a command", [reject({ url: "*", command: "*" })], []],
    ["an empty rule, which matches everything", [reject({})], ALL],
    [
      "a rejection after a narrower allowance",
      [allow({ args: "*@good/*" }), reject({ command: "npx" })],
      ["bare", "evil"],
    ],
    ["a rejection before an allowance", [reject({ command: "node" }), allow({})], ["node"]],
  ])("reject exactly the matching servers: %s", async (_what, rules, off) => {
    expect(await rejectedBy(rules)).toEqual({ off, faults: [] });
  });

  test.each<[string, unknown, string[]]>([
    ["is not an object", "npx", ALL],
    ["has an unknown action", { matches: { command: "npx" }, action: "deny" }, ["bare", "evil", "good"]],
    ["has no action", { matches: { url: "*" } }, ["hub", "other"]],
    ["rejects a non-object", reject("npx"), ALL],
    ["rejects without matches", { action: "reject" }, ALL],
    ["rejects a command that is not a string", reject({ command: 5 }), CHILDREN],
    ["rejects an empty list of commands", reject({ command: [] }), CHILDREN],
    ["rejects a regular expression", reject({ command: "/^node$/" }), CHILDREN],
    ["rejects by an unknown field too", reject({ command: "node", name: "x" }), ["node"]],
    ["allows a non-object", allow("npx"), []],
    ["allows a command that is not a string", allow({ command: 5, args: "*" }), []],
    ["allows by an unknown field too", allow({ command: "node", name: "x" }), []],
  ])("a rule that %s is reported and allows nothing", async (_what, rule, off) => {
    const alone = await rejectedBy([rule]);
    expect(alone.off).toEqual(off);
    expect(alone.faults).toMatchObject([
      { code: "invalid-field", severity: "warning", pointer: `/${LIST}/0`, file: "/folder/settings.json" },
    ]);
    expect((await rejectedBy([rule, reject({})])).off).toEqual(ALL);
    expect((await rejectedBy([allow({}), rule])).off).toEqual([]);
  });

  test.each([[null], ["reject"], [{ command: "npx" }]])(
    "reject every server if they are not a list: %j",
    async (rules) => {
      const { off, faults } = await rejectedBy(rules);
      expect(off).toEqual(ALL);
      expect(faults).toMatchObject([{ code: "invalid-field", pointer: `/${LIST}` }]);
    },
  );
});

describe("a rejected URL in Amp", () => {
  /** Which of the URLs the rules switch off. */
  async function rejected(urls: readonly string[], rules: readonly unknown[], env = {}) {
    const servers = Object.fromEntries(urls.map((url, index) => [`server${index}`, { url }]));
    const { discover } = await homeWith({
      ".config/amp/settings.json": { "amp.mcpServers": servers, [LIST]: rules },
    });
    const found = await discover({ hosts: ["amp"], env });
    expect(found.servers).toHaveLength(urls.length);
    const off = new Set(found.servers.filter(({ enabled }) => enabled === false).map(({ name }) => name));
    return urls.filter((_url, index) => off.has(`server${index}`));
  }

  test("covers every spelling of the URL", async () => {
    const spelled = [
      "https://evil.example:443/mcp",
      "https://user@evil.example/mcp",
      "https://evil.example\\mcp",
      "https://evil%2eexample/mcp",
      "https://evil.example./mcp",
      "https://EVIL.example/a/../mcp",
      "https://evil.example/%6dcp",
      "https://evil.example/mcp#x",
    ];
    const others = ["https://good.example/mcp", "https://evil.example/other"];
    const rules = [reject({ url: "https://evil.example/mcp" })];
    expect(await rejected([...spelled, ...others], rules)).toEqual(spelled);
  });

  test("covers URLs whose references lead to it or are unset", async () => {
    const urls = ["https://${HOST}/mcp", "https://${GOOD}/mcp", "https://${UNSET}/mcp"];
    const env = { HOST: "evil.example", GOOD: "good.example" };
    const rules = [reject({ url: "https://evil.example/*" })];
    expect(await rejected(urls, rules, env)).toEqual(["https://${HOST}/mcp", "https://${UNSET}/mcp"]);
  });

  test("is excepted only in the spelling of an allow rule", async () => {
    const rules = [allow({ url: "https://hub.example/mcp" }), reject({ url: "*" })];
    const urls = ["https://hub.example/mcp", "https://hub.example:443/mcp"];
    expect(await rejected(urls, rules)).toEqual(["https://hub.example:443/mcp"]);
  });
});

describe("a rejected command in Amp", () => {
  const SERVERS = {
    literal: { command: "npx", args: ["-y", "evil-pkg"] },
    runner: { command: "${RUNNER:-npx}", args: ["-y", "evil-pkg"] },
    named: { command: "npx", args: ["-y", "${PKG:-evil-pkg}"] },
    open: { command: "npx", args: ["-y", "${UNSET}", "x"] },
    start: { command: "npx", args: ["-y", "good-${UNSET}"] },
    other: { command: "node", args: ["server.js"] },
  };
  const ALL_OF_NPX = ["literal", "runner", "named", "open", "start"];

  test.each<[string, object, object, string[]]>([
    ["a command", { command: "npx" }, {}, ALL_OF_NPX],
    ["a prefix of a command", { command: "np*" }, {}, ALL_OF_NPX],
    ["another command", { command: "deno" }, {}, []],
    ["a command from a variable", { command: "deno" }, { RUNNER: "deno" }, ["runner"]],
    ["a part of the arguments", { args: "*evil*" }, {}, ["literal", "runner", "named", "open", "start"]],
    ["a beginning of the arguments", { args: "-y evil*" }, {}, ["literal", "runner", "named", "open"]],
    ["an end of the arguments", { args: "-y evil* x" }, {}, ["open"]],
    ["another end of the arguments", { args: "-y *z" }, {}, ["start"]],
    ["less text than is known", { args: "-y x" }, {}, []],
    ["all arguments", { args: "-y evil-pkg" }, {}, ["literal", "runner", "named"]],
    ["all arguments, one from a variable", { args: "-y evil-pkg" }, { PKG: "ok" }, ["literal", "runner"]],
    ["all arguments, one unknown", { args: "-y evil x" }, {}, ["open"]],
    [
      "a command pattern that contains arguments",
      { command: "npx -y evil*" },
      {},
      ["literal", "runner", "named", "open"],
    ],
  ])("is compared with references filled in: %s", async (_what, matches, env, off) => {
    const { discover } = await homeWith({
      ".config/amp/settings.json": { "amp.mcpServers": SERVERS, [LIST]: [reject(matches)] },
    });
    const { servers } = await discover({ hosts: ["amp"], env: { ...env } });
    expect(servers.filter(({ enabled }) => enabled === false).map(({ name }) => name)).toEqual(off);
  });

  test("applies in parseHostFile, where references are unknown without env", async () => {
    const content = { "amp.mcpServers": SERVERS, [LIST]: [reject({ args: "-y ok" })] };
    const off = async (env?: object) => {
      const options = { host: "amp", file: "/folder/settings.json", env: env && { ...env } };
      const { servers } = await parse(content, options);
      return servers.filter(({ definition }) => definition.enabled === false).map(({ name }) => name);
    };
    expect(await off({ PKG: "ok" })).toEqual(["named"]);
    expect(await off({})).toEqual([]);
    expect(await off()).toEqual(["named"]);
  });

  test("is not excepted by an allow rule that only its references match", async () => {
    const rules = [allow({ command: "npx" }), reject({})];
    const { discover } = await homeWith({
      ".config/amp/settings.json": { "amp.mcpServers": SERVERS, [LIST]: rules },
    });
    const { servers } = await discover({ hosts: ["amp"] });
    const off = servers.filter(({ enabled }) => enabled === false).map(({ name }) => name);
    expect(off).toEqual(["runner", "other"]);
  });
});

describe("Amp permission rules in several files", () => {
  const servers = (name: string) => ({ "amp.mcpServers": { [name]: { command: name } } });

  async function switchesWith(user: object, project: object) {
    const { discover } = await homeWith({
      ".config/amp/settings.json": { ...servers("mine"), ...user },
      "work/.amp/settings.json": { ...servers("its"), ...project },
    });
    const found = await discover({ hosts: ["amp"] });
    const off = found.servers.filter(({ enabled }) => enabled === false).map(({ name }) => name);
    return { off, codes: found.diagnostics.map(({ code }) => code) };
  }

  test("from the user apply to user and project servers", async () => {
    const { off, codes } = await switchesWith({ [LIST]: [reject({ command: "*" })] }, {});
    expect(off.sort()).toEqual(["its", "mine"]);
    expect(codes).toEqual(["disabled-by-host", "disabled-by-host"]);
  });

  test("from a project reject only its own servers and override no user rule", async () => {
    const [all, none] = [{ [LIST]: [reject({})] }, { [LIST]: [] }];
    expect((await switchesWith({}, all)).off).toEqual(["its"]);
    expect((await switchesWith(none, all)).off).toEqual(["its"]);
    expect((await switchesWith(all, none)).off).toEqual(["its", "mine"]);
  });

  test("are reported once each if unreadable", async () => {
    const { codes } = await switchesWith({ [LIST]: [allow(1)] }, { [LIST]: [allow(2)] });
    expect(codes).toEqual(["invalid-field", "invalid-field"]);
  });

  test("from an administrator replace all others", () => {
    const documents = [
      { kind: "managed", scope: "managed", content: { [LIST]: [allow({ command: "mine" }), reject({})] } },
      { kind: "project", scope: "project", content: { [LIST]: [] } },
      { kind: "user", scope: "user", content: { [LIST]: [reject({ command: "mine" })] } },
    ] as const;
    const context = { folders: [], isStandaloneFile: false, platform: "linux", remark: () => {} } as const;
    const verdictOf = readAmpPermissions(documents, context, () => {});
    const verdicts = ["mine", "its"].map((command) => {
      const written = { transport: "stdio", command, enabled: true } as const;
      return verdictOf({ name: command, kind: "user", definedIn: { scope: "user" }, written })?.disabledBy;
    });
    expect(verdicts).toEqual([undefined, LIST]);
  });
});
