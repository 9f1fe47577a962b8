import { chmod, mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustsFolder } from "../../src/hosts/gemini-trust.ts";
import type { FindingContext } from "../../src/hosts/host-dialect.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();
const folderTrust = (enabled: unknown) => ({ security: { folderTrust: { enabled } } });
const ODD_LEVELS = ["do_not_trust", null, false, { trust: "DO_NOT_TRUST" }, ["TRUST_FOLDER", {}]].map(
  (level) => [level] as const,
);

describe("Gemini CLI folder trust", () => {
  test("skips and reports an untrusted project, and uses the user's server of the same name", async () => {
    const entry = (command: string) => ({ mcpServers: { s: { command } } });
    const { home, project, write, discover } = await homeWith({
      ".gemini/settings.json": { ...folderTrust(true), ...entry("mine") },
      "work/.gemini/settings.json": { ...folderTrust(false), ...entry("theirs") },
    });
    const options = { hosts: ["gemini"] };
    const untrusted = await discover(options);
    expect(untrusted.servers).toMatchObject([{ command: "mine", definedIn: { scope: "user" } }]);
    const file = join(project, ".gemini/settings.json");
    expect(untrusted.diagnostics).toMatchObject([{ code: "untrusted-project", file }]);
    expect(untrusted.blocked).toMatchObject([{ by: "host", definition: { command: "theirs" } }]);
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
    process.platform === "win32" ? [] : [["is writable by everybody", (file) => chmod(file, 0o666)]];

  test.each<Spoiling>([
    ["is broken", (file) => writeFile(file, "{")],
    ["is empty", (file) => writeFile(file, "")],
    ["is not an object", (file) => writeFile(file, "[]")],
    ["is not UTF-8", (file) => writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]))],
    ["is too large", (file) => truncate(file, 16 * 1024 * 1024 + 1)],
    ["is a folder", (file) => rm(file).then(() => mkdir(file))],
    ...byEverybody,
  ])("trusts no project if trustedFolders.json %s", async (_what, spoil) => {
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
  ])("follows the rule of the nearest folder: %j", (rules, isTrusted) => {
    expect(trusts(folderTrust(true), rules)).toBe(isTrusted);
  });

  test("trusts by real paths, and distrusts by real and written paths", async () => {
    const { home } = await homeWith({ "real/p/sub/file": "", "other/file": "" });
    const [real, link, out] = [join(home, "real/p"), join(home, "link"), join(home, "real/p/out")];
    await symlink(join(home, "real/p"), link);
    await symlink(join(home, "other"), out);
    const trusted = [
      [real, link],
      [link, real],
      [link, join(real, "sub")],
    ].map(([rule = "", folder]) => trusts(folderTrust(true), { [rule]: "TRUST_FOLDER" }, folder));
    expect(trusted).toEqual([true, true, true]);
    expect(trusts(folderTrust(true), { [join(link, "x")]: "TRUST_PARENT" }, real)).toBe(true);
    expect(trusts(folderTrust(true), { [real]: "TRUST_FOLDER" }, out)).toBe(false);
    const untrusted = [
      [real, link],
      [link, real],
      [real, out],
    ].map(([rule = "", folder]) => trusts({}, { [rule]: "DO_NOT_TRUST" }, folder));
    expect(untrusted).toEqual([false, false, false]);
  });

  test("trusts a folder without a rule unless enabled, and ignores all rules if disabled", () => {
    const untrusted = { "/w/p": "DO_NOT_TRUST" };
    expect([trusts({}, {}), trusts({}, untrusted)]).toEqual([true, false]);
    expect([trusts(folderTrust(false), {}), trusts(folderTrust(false), untrusted)]).toEqual([true, true]);
  });

  test("distrusts a folder without a rule if its switch is unreadable", () => {
    const switches = ["true", null, 1].map((enabled) => trusts(folderTrust(enabled), {}));
    expect(switches).toEqual([false, false, false]);
  });

  test.each([["a"], null, "on"].flatMap((odd) => [{ security: odd }, { security: { folderTrust: odd } }]))(
    "distrusts a folder without a rule if its switch's parent is not an object: %j",
    (settings) => {
      expect(trusts(settings, {})).toBe(false);
      expect(trusts(settings, { "/w/p": "TRUST_FOLDER" })).toBe(true);
    },
  );

  test.each(ODD_LEVELS)("takes an unreadable trust level as distrust: %j", (level) => {
    expect(trusts({}, { "/w/p": level })).toBe(false);
    expect(trusts(folderTrust(true), { "/w/p": level, "/w": "TRUST_FOLDER" })).toBe(false);
    expect(trusts(folderTrust(true), { "/w/p": "TRUST_FOLDER", "/w": level })).toBe(true);
    expect(trusts({}, { "/w/other": level })).toBe(true);
  });

  test.each(ODD_LEVELS)(
    "reports an unreadable trust level at its place and keeps the user's servers: %j",
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
  ])("distrusts a folder without a rule if settings are %s: %s", async (_what, kind, text) => {
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
    "reports an empty trustedFolders.json as a problem: %j",
    async (text) => {
      const { home, discover } = await homeWith({ ".gemini/trustedFolders.json": text });
      const { problems, diagnostics } = await discover({ hosts: ["gemini"] });
      const definedIn = { file: join(home, ".gemini/trustedFolders.json"), scope: "user" };
      expect(problems).toMatchObject([{ kind: "ConfigSyntaxError", definedIn }]);
      expect(diagnostics).toEqual([]);
    },
  );

  test("reports the effect of a switch whose parent is not an object", async () => {
    const { discover } = await homeWith({ ".gemini/settings.json": { security: { folderTrust: true } } });
    const { diagnostics } = await discover({ hosts: ["gemini"] });
    expect(diagnostics.find(({ code }) => code === "invalid-field")?.message).toContain(
      '"security.folderTrust" must be an object, not a boolean. So only projects in trusted folders are used.',
    );
  });

  test("does not ask for servers in a trustedFolders.json that is a list", async () => {
    const { discover } = await homeWith({ ".gemini/trustedFolders.json": "[]" });
    const { problems } = await discover({ hosts: ["gemini"] });
    expect(problems[0]?.error.message).toMatch(/: the file must hold an object, not an array\.$/);
  });

  test("matches any spelling of a folder on Windows", () => {
    const context: FindingContext = { ...LINUX, platform: "win32" };
    const rules = { "c:/code/P": "TRUST_FOLDER" };
    expect(trusts(folderTrust(true), rules, "C:\\Code\\p\\a", context)).toBe(true);
    expect(trusts(folderTrust(true), rules, "C:\\Code\\q", context)).toBe(false);
  });
});
