import { chmod, mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustsFolder } from "../../src/hosts/gemini-trust.ts";
import type { FindingContext } from "../../src/hosts/host-dialect.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();
const asking = (enabled: unknown) => ({ security: { folderTrust: { enabled } } });
const ODD_LEVELS = ["do_not_trust", null, false, { trust: "DO_NOT_TRUST" }, ["TRUST_FOLDER", {}]].map(
  (level) => [level] as const,
);

describe("a project that Gemini CLI does not trust", () => {
  test("is left out, so that the user's own server of the same name is used, and told of", async () => {
    const entry = (command: string) => ({ mcpServers: { s: { command } } });
    const { home, project, write, discover } = await homeWith({
      ".gemini/settings.json": { ...asking(true), ...entry("mine") },
      "work/.gemini/settings.json": { ...asking(false), ...entry("theirs") },
    });
    const options = { hosts: ["gemini"] };
    const untrusted = await discover(options);
    expect(untrusted.servers).toMatchObject([{ command: "mine", definedIn: { scope: "user" } }]);
    const file = join(project, ".gemini/settings.json");
    expect(untrusted.diagnostics).toMatchObject([{ code: "untrusted-project", file }]);
    await write(".gemini/trustedFolders.json", `{ "${project}": "TRUST_FOLDER" /* mine */ }`);
    expect((await discover(options)).servers).toMatchObject([{ command: "theirs" }]);
    await write("named.json", { [project]: "DO_NOT_TRUST" });
    const env = { GEMINI_CLI_TRUSTED_FOLDERS_PATH: join(home, "named.json") };
    expect((await discover({ ...options, env })).servers).toMatchObject([{ command: "mine" }]);
    const trusting = { ...env, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    expect((await discover({ ...options, env: trusting })).servers).toMatchObject([{ command: "theirs" }]);
  });

  type Spoiling = [string, (file: string) => Promise<unknown>];
  // Windows has no such permissions.
  const byEverybody: Spoiling[] =
    process.platform === "win32" ? [] : [["can be written by everybody", (file) => chmod(file, 0o666)]];

  test.each<Spoiling>([
    ["is broken", (file) => writeFile(file, "{")],
    ["is empty", (file) => writeFile(file, "")],
    ["is no object", (file) => writeFile(file, "[]")],
    ["is not UTF-8", (file) => writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]))],
    ["is too large", (file) => truncate(file, 16 * 1024 * 1024 + 1)],
    ["is a folder", (file) => rm(file).then(() => mkdir(file))],
    ...byEverybody,
  ])("is any one where the file with the trusted folders %s", async (_what, spoil) => {
    const { home, discover } = await homeWith({
      ".gemini/settings.json": { mcpServers: { mine: { command: "mine" } } },
      ".gemini/trustedFolders.json": {},
      "work/.gemini/settings.json": { mcpServers: { theirs: { command: "theirs" } } },
    });
    const found = async () => discover({ hosts: ["gemini"] });
    expect((await found()).servers.map(({ name }) => name)).toEqual(["theirs", "mine"]);
    await spoil(join(home, ".gemini/trustedFolders.json"));
    const { servers, diagnostics } = await found();
    expect(servers.map(({ name, enabled }) => [name, enabled])).toEqual([["mine", undefined]]);
    expect(diagnostics.map(({ code }) => code)).toContain("untrusted-project");
  });

  const LINUX: FindingContext = {
    folders: ["/w/p"],
    isStandaloneFile: false,
    platform: "linux",
    env: {},
    remark: () => {},
  };
  const trusts = (settings: object, rules: object, folder = "/w/p", context = LINUX) =>
    trustsFolder(
      [
        { kind: "user", scope: "user", content: { ...settings } },
        { kind: "trusted-folders", scope: "user", content: { ...rules } },
      ],
      folder,
      context,
    );

  test.each<[object, boolean]>([
    [{}, false],
    [{ "/w/p": "TRUST_FOLDER" }, true],
    [{ "/w/p": "yes" }, false],
    [{ "/w": "TRUST_FOLDER" }, true],
    [{ "/": "TRUST_FOLDER" }, true],
    [{ "/w/pp": "TRUST_FOLDER", "/w/p/q": "TRUST_FOLDER" }, false],
    [{ "/w/other": "TRUST_PARENT" }, true],
    [{ "/w": "TRUST_FOLDER", "/w/p": "DO_NOT_TRUST" }, false],
    [{ "/w/p/": "TRUST_FOLDER", "/w": "DO_NOT_TRUST" }, true],
    [{ "/w": "DO_NOT_TRUST", "/w/other": "TRUST_PARENT" }, false],
    [{ "/w/other": "TRUST_PARENT", "/w": "DO_NOT_TRUST" }, false],
  ])("is one for which the rule of the nearest folder does not speak: %j", (rules, isTrusted) => {
    expect(trusts(asking(true), rules)).toBe(isTrusted);
  });

  test("is one by where its folder and that of a rule really are, and by how they are written where it must not be trusted", async () => {
    const { home } = await homeWith({ "real/p/sub/file": "", "other/file": "" });
    const [real, link, out] = [join(home, "real/p"), join(home, "link"), join(home, "real/p/out")];
    await symlink(join(home, "real/p"), link);
    await symlink(join(home, "other"), out);
    const trusted = [
      [real, link],
      [link, real],
      [link, join(real, "sub")],
    ].map(([rule = "", folder]) => trusts(asking(true), { [rule]: "TRUST_FOLDER" }, folder));
    expect(trusted).toEqual([true, true, true]);
    expect(trusts(asking(true), { [join(link, "x")]: "TRUST_PARENT" }, real)).toBe(true);
    expect(trusts(asking(true), { [real]: "TRUST_FOLDER" }, out)).toBe(false);
    const untrusted = [
      [real, link],
      [link, real],
      [real, out],
    ].map(([rule = "", folder]) => trusts({}, { [rule]: "DO_NOT_TRUST" }, folder));
    expect(untrusted).toEqual([false, false, false]);
  });

  test("is only one that is called so where nobody has said that it must be trusted, and none where that is off", () => {
    const untrusted = { "/w/p": "DO_NOT_TRUST" };
    expect([trusts({}, {}), trusts({}, untrusted)]).toEqual([true, false]);
    expect([trusts(asking(false), {}), trusts(asking(false), untrusted)]).toEqual([true, true]);
  });

  test("is every one that no rule speaks for where the switch cannot be read", () => {
    const switches = ["true", null, 1].map((enabled) => trusts(asking(enabled), {}));
    expect(switches).toEqual([false, false, false]);
  });

  test.each([["a"], null, "on"].flatMap((odd) => [{ security: odd }, { security: { folderTrust: odd } }]))(
    "is every one that no rule speaks for where what leads to the switch is no object: %j",
    (settings) => {
      expect(trusts(settings, {})).toBe(false);
      expect(trusts(settings, { "/w/p": "TRUST_FOLDER" })).toBe(true);
    },
  );

  test.each(ODD_LEVELS)("is one of which something is said that cannot be read: %j", (level) => {
    expect(trusts({}, { "/w/p": level })).toBe(false);
    expect(trusts(asking(true), { "/w/p": level, "/w": "TRUST_FOLDER" })).toBe(false);
    expect(trusts(asking(true), { "/w/p": "TRUST_FOLDER", "/w": level })).toBe(true);
    expect(trusts({}, { "/w/other": level })).toBe(true);
  });

  test.each(ODD_LEVELS)(
    "is told of with the place of what cannot be read, and nothing else is lost: %j",
    async (level) => {
      const { home, project, write, discover } = await homeWith({
        ".gemini/settings.json": { mcpServers: { mine: { command: "mine" } } },
        "work/.gemini/settings.json": { mcpServers: { theirs: { command: "theirs" } } },
      });
      await write(".gemini/trustedFolders.json", { [home]: "TRUST_FOLDER", [project]: level });
      const { servers, diagnostics, problems } = await discover({ hosts: ["gemini"] });
      expect([servers.map(({ name }) => name), problems]).toEqual([["mine"], []]);
      const file = join(home, ".gemini/trustedFolders.json");
      const pointer = `/${project.replaceAll("/", "~1")}`;
      expect(diagnostics.filter(({ code }) => code === "invalid-field")).toMatchObject([
        { file, line: 1, pointer, severity: "warning" },
      ]);
      expect(diagnostics.map(({ code }) => code)).toContain("untrusted-project");
    },
  );

  test.each<[string, string, string]>([
    ["broken", "user", '{ "security": { "folderTrust": { "enabled": true } }, } }'],
    ["empty", "user", ""],
    ["a list", "user", "[]"],
    ["broken", "system-defaults", "{"],
  ])("is every one that no rule speaks for where settings are %s: %s", async (_what, kind, text) => {
    const { home, project, write, discover } = await homeWith({
      ".gemini/mcp-server-enablement.json": "{",
      "work/.gemini/settings.json": { mcpServers: { theirs: { command: "theirs" } } },
    });
    const env = { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(home, "defaults.json") };
    const found = async () => {
      const { servers, problems } = await discover({ hosts: ["gemini"], env });
      return [servers.map(({ name }) => name), problems.map(({ definedIn }) => definedIn.file)];
    };
    const enablement = join(home, ".gemini/mcp-server-enablement.json");
    expect(await found()).toEqual([["theirs"], [enablement]]);
    const path = kind === "user" ? ".gemini/settings.json" : "defaults.json";
    await write(path, text);
    expect(await found()).toEqual([[], [join(home, path), enablement]]);
    await write(".gemini/trustedFolders.json", { [project]: "TRUST_FOLDER" });
    expect((await found())[0]).toEqual(["theirs"]);
  });

  test.each(["", "// nothing yet\n"])(
    "is told of where the file with the trusted folders is empty: %j",
    async (text) => {
      const { home, discover } = await homeWith({ ".gemini/trustedFolders.json": text });
      const { problems, diagnostics } = await discover({ hosts: ["gemini"] });
      const definedIn = { file: join(home, ".gemini/trustedFolders.json"), scope: "user" };
      expect(problems).toMatchObject([{ kind: "ConfigSyntaxError", definedIn }]);
      expect(diagnostics).toEqual([]);
    },
  );

  test("is told what becomes of a switch that cannot be reached", async () => {
    const { discover } = await homeWith({ ".gemini/settings.json": { security: { folderTrust: true } } });
    const { diagnostics } = await discover({ hosts: ["gemini"] });
    expect(diagnostics.find(({ code }) => code === "invalid-field")?.message).toContain(
      '"security.folderTrust" must be an object, not a boolean. So only projects in trusted folders are used.',
    );
  });

  test("is not told to have servers in the file with the trusted folders", async () => {
    const { discover } = await homeWith({ ".gemini/trustedFolders.json": "[]" });
    const { problems } = await discover({ hosts: ["gemini"] });
    expect(problems[0]?.error.message).toMatch(/: the file must hold an object, not an array\.$/);
  });

  test("is found on Windows however it is spelled", () => {
    const context: FindingContext = { ...LINUX, platform: "win32" };
    const rules = { "c:/code/P": "TRUST_FOLDER" };
    expect(trusts(asking(true), rules, "C:\\Code\\p\\a", context)).toBe(true);
    expect(trusts(asking(true), rules, "C:\\Code\\q", context)).toBe(false);
  });
});
