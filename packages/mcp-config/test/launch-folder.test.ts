import { mkdirSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { parse } from "node:path";
import type { DefinitionScope } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { resolveStdio } from "./resolution.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const before = process.cwd();
const temporaryFolder = useTemporaryFolder();
let folder: string;
const file = (name: string) => `${folder}/${name}`;

beforeEach(async () => {
  folder = realpathSync(await temporaryFolder());
  for (const name of ["home", "project/.git", "project/packages/x"])
    mkdirSync(file(name), { recursive: true });
  vi.stubEnv("HOME", file("home"));
  process.chdir(file("project/packages/x"));
});

afterEach(() => {
  process.chdir(before);
  vi.unstubAllEnvs();
});

const npx = { command: "npx", args: ["-y", "pkg@1.0.0"] };

function place(scope: DefinitionScope) {
  return { scope, file: file("elsewhere/mcp.json") };
}

describe.runIf(process.platform !== "win32")("where npx starts", () => {
  test.each(["explicit", "managed", "local", "user", "extension"] as const)(
    "in scope %s it is the given folder, which is made for its user alone",
    async (scope) => {
      const launchFolder = file("state/launch");
      const { cwd } = await resolveStdio({ ...npx, definedIn: place(scope) }, { launchFolder });
      expect(cwd).toBe(launchFolder);
      expect(statSync(launchFolder).mode & 0o777).toBe(0o700);
    },
  );

  test("without a given folder it is the home", async () => {
    expect((await resolveStdio({ ...npx, definedIn: place("user") })).cwd).toBe(file("home"));
  });

  test("a project's own entry starts in the folder of this process", async () => {
    const { cwd } = await resolveStdio(
      { ...npx, definedIn: place("project") },
      { launchFolder: file("launch") },
    );
    expect(cwd).toBeUndefined();
  });

  test("an entry starts in the folder that it names", async () => {
    const written = { ...npx, definedIn: place("user"), cwd: file("project") };
    expect((await resolveStdio(written)).cwd).toBe(file("project"));
  });

  test("a command in the folder starts there, because its entry is meant for it", async () => {
    const written = { ...npx, command: file("project/.venv/bin/npx"), definedIn: place("user") };
    expect((await resolveStdio(written)).cwd).toBeUndefined();
  });

  test("a variable may name the program", async () => {
    const written = { ...npx, command: "${RUNNER}", definedIn: place("user") };
    const { cwd } = await resolveStdio(written, { env: { RUNNER: "/usr/bin/npx" } });
    expect(cwd).toBe(file("home"));
  });

  test.each([true, false])("trust is asked about the project's root, and %s decides", async (answer) => {
    const asked: string[] = [];
    const trust = async (root: string) => {
      asked.push(root);
      return answer;
    };
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { trust });
    expect(asked).toEqual([file("project")]);
    expect(cwd).toBe(answer ? undefined : file("home"));
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("unknown");
      },
    ],
    ["answers something else", () => "yes" as unknown as boolean],
  ])("a trust function that %s trusts nothing", async (_what, trust) => {
    expect((await resolveStdio({ ...npx, definedIn: place("user") }, { trust })).cwd).toBe(file("home"));
  });

  test("a given folder inside the project is not used, also through a link", async () => {
    mkdirSync(file("project/own"));
    symlinkSync(file("project/own"), file("link"));
    for (const launchFolder of [file("project/own"), file("link")]) {
      const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { launchFolder });
      expect(cwd).toBe(file("home"));
    }
  });

  test("a folder that cannot be made is not used, nor a home that does not exist", async () => {
    vi.stubEnv("HOME", file("missing"));
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { launchFolder: "/dev/null/x" });
    expect(cwd).toBe(parse(before).root);
  });

  test("a home inside the project is not used", async () => {
    mkdirSync(file("project/home"));
    vi.stubEnv("HOME", file("project/home"));
    const options = { launchFolder: file("project/home/launch") };
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, options);
    expect(cwd).toBe(parse(before).root);
  });

  test.each(["home", "."])("in the user's own folder %j, a folder in the home is used", async (name) => {
    process.chdir(file(name));
    const launchFolder = file("home/launch");
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { launchFolder });
    expect(cwd).toBe(launchFolder);
  });

  test.each(["user", "explicit"] as const)(
    "in scope %s the PATH that it gets has nothing of the project, even if its entry adds to it",
    async (scope) => {
      const env = { PATH: `${file("project/bin")}:/usr/bin:${file("project-2/bin")}` };
      const resolved = await resolveStdio({ ...npx, definedIn: place(scope) }, { env });
      expect(resolved.env.PATH).toBe(`/usr/bin:${file("project-2/bin")}`);
      const added = { ...npx, definedIn: place(scope), env: { PATH: "/opt/bin:${PATH}" } };
      expect((await resolveStdio(added, { env })).env.PATH).toBe(
        `/opt/bin:/usr/bin:${file("project-2/bin")}`,
      );
      const ofProject = await resolveStdio({ ...npx, definedIn: place("project") }, { env });
      expect(ofProject.env.PATH).toBe(env.PATH);
    },
  );

  test("commands in place of values run there, too", async () => {
    const options = { runCommands: true, launchFolder: file("launch"), env: { PATH: process.env.PATH } };
    const written = {
      definedIn: { scope: "explicit", host: "omp" } as const,
      command: "x",
      env: { WHERE: "!pwd" },
    };
    const { env } = await resolveStdio(written, options);
    expect(env.WHERE).toBe(file("launch"));
  });
});
