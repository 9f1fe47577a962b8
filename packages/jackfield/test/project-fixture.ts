import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  createFakeConnector,
  createFakeSession,
  type FakeConnector,
  memoryStateStore,
} from "@jackfield/test-kit";
import type { Mcp, OpenMcpOptions } from "../src/index.ts";

/** A user's home with a repository in it, and how a runtime is opened there. */
export interface ProjectFixture extends Disposable {
  readonly home: string;
  readonly project: string;
  /** Writes the `.mcp.json` of the project, and says where it is. */
  write(mcpServers: object): string;
  writeFile(path: string, content: unknown): string;
  /** Servers that open at once and offer `echo`; approvals are remembered from one opening to the next. */
  readonly options: OpenMcpOptions;
  readonly connector: FakeConnector;
}

export function createProjectFixture(): ProjectFixture {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "jackfield-home-")));
  const project = join(home, "clone");
  mkdirSync(join(project, ".git"), { recursive: true });
  const connector = createFakeConnector({
    onAttempt: (attempt) =>
      void attempt.open(createFakeSession({ tools: [{ name: "echo", inputSchema: { type: "object" } }] })),
  });
  const writeFile = (path: string, content: unknown) => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  return {
    home,
    project,
    writeFile,
    write: (mcpServers) => writeFile("clone/.mcp.json", { mcpServers }),
    connector,
    options: {
      discover: { cwd: project, home, env: {} },
      approval: { store: memoryStateStore() },
      cache: false,
      connect: connector.connect,
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Resolves when the runtime says that a server has tools. */
export function toolsOf(mcp: Mcp, server: string): Promise<void> {
  return new Promise((resolve) => {
    const off = mcp.on("toolsChanged", (changed) => {
      if (changed.server !== server) return;
      off();
      resolve();
    });
  });
}
