import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VSCODE } from "../../src/hosts/vscode.ts";
import { createServerResolver } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const signal = new AbortController().signal;
const one = (name: string) => ({ servers: { [name]: { command: name } } });

describe("VS Code", () => {
  test.each([
    ["linux", ".config", {}],
    ["darwin", "Library/Application Support", {}],
    ["win32", "AppData/Roaming", {}],
  ] as const)("reads profiles and the Insiders edition on %s", (platform, folder, env) => {
    const home = platform === "win32" ? "C:\\home" : "/home";
    const at = { platform, env, home, cwd: home, projectTop: home };
    const paths = VSCODE.files.filter(({ scope }) => scope === "user").flatMap((file) => file.paths(at));
    const wanted = ["Code", "Code - Insiders"].flatMap((edition) =>
      ["mcp.json", "profiles/*/mcp.json", "settings.json"].map((file) => `${edition}/User/${file}`),
    );
    const separator = platform === "win32" ? "\\" : "/";
    const files = wanted.map((file) => [home, ...`${folder}/${file}`.split("/")].join(separator));
    expect(paths.map(({ file }) => file)).toEqual(files);
    expect(paths.map(({ isPattern = false }) => isPattern)).toEqual(files.map((file) => file.includes("*")));
  });

  test("prefers the user's own file to those of profiles, and both to Insiders", async () => {
    const { discover } = await homeWith({
      ".config/Code/User/mcp.json": one("default"),
      ".config/Code/User/profiles/-1a/mcp.json": {
        servers: { ...one("profile").servers, default: { command: "x" } },
      },
      ".config/Code - Insiders/User/mcp.json": one("insiders"),
      ".config/Code - Insiders/User/profiles/2b/mcp.json": one("insiders-profile"),
    });
    const { servers } = await discover({ hosts: ["vscode"] });
    expect(servers.map(({ name, definedIn: { scope, host } }) => [name, scope, host])).toEqual(
      ["default", "profile", "insiders", "insiders-profile"].map((name) => [name, "user", "vscode"]),
    );
    expect(servers[0]).toMatchObject({ command: "default" });
  });

  test("resolves workspaceFolder in a profile to the working folder", async () => {
    const { discover, project } = await homeWith({
      ".config/Code/User/profiles/1a/mcp.json": {
        servers: { s: { command: "x", args: ["${workspaceFolder}"] } },
      },
    });
    const { servers } = await discover({ hosts: ["vscode"] });
    const resolve = createServerResolver({ env: {}, cwd: project });
    expect(await resolve(servers[0] as never, { signal })).toMatchObject({ args: [project] });
  });

  const shared = {
    mcpServers: {
      a: { command: "x", args: ["${env:A}", "${A}"], env: { B: "${input:b}" } },
      untyped: { url: "https://host.example" },
    },
  };

  test("reads a workspace's .mcp.json by Claude Code's rules and fills in no references", async () => {
    const { discover, project } = await homeWith({ "work/.mcp.json": shared });
    const { servers, problems } = await discover({ hosts: ["vscode"] });
    expect(problems.map(({ server }) => server)).toEqual(["untyped"]);
    const definedIn = { scope: "project", file: join(project, ".mcp.json"), root: project };
    expect(servers).toMatchObject([{ name: "a", definedIn }]);
    const resolve = createServerResolver({ env: { A: "planted" }, isAdmitted: () => true });
    expect(await resolve(servers[0] as never, { signal })).toMatchObject({
      args: ["${env:A}", "${A}"],
      env: { B: "${input:b}" },
    });
  });

  test("parses .mcp.json on its own by the same rules", async () => {
    const options = { host: "vscode", file: "/p/.mcp.json", env: {} };
    const { names, told } = await parse(shared, options);
    const foreign = Array.from({ length: 3 }, () => "foreign-variable: a");
    expect([names, told]).toEqual([["a"], ["ServerConfigError: untyped", ...foreign]]);
    const loose = await parse('{ "mcpServers": { "a": { "command": "x" } } } // note', options);
    expect([loose.names, loose.told]).toEqual([["a"], ["non-strict-json"]]);
  });

  test("does not repeat a server that Claude Code reads from the same file", async () => {
    const { discover } = await homeWith({ "work/.mcp.json": { mcpServers: { a: { command: "x" } } } });
    const { servers, diagnostics } = await discover({ hosts: ["claude-code", "vscode"] });
    expect(servers.map(({ definedIn }) => definedIn.host)).toEqual(["claude-code"]);
    expect(diagnostics).toEqual([]);
  });
});
