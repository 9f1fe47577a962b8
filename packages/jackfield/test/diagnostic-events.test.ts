import type { Diagnostic } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Mcp, openMcp } from "../src/index.ts";
import { createProjectFixture, type ProjectFixture, toolsOf } from "./project-fixture.ts";

useLeakCheck();

let clone: ProjectFixture;
beforeEach(() => {
  clone = createProjectFixture();
});
afterEach(() => clone[Symbol.dispose]());

/** Another server than the one of that name in the weaker file, which is told. */
const other = { args: ["other"] };

/** A runtime with a configuration file that the test writes, and a weaker one. */
async function openFile(servers: object, log?: () => void) {
  const write = (mcpServers: object) => clone.writeFile("own.json", { mcpServers });
  const weaker = clone.writeFile("weaker.json", { mcpServers: { a: { command: "a" }, b: { command: "b" } } });
  const { connect, cache } = clone.options;
  const configFiles = [write(servers), weaker];
  const mcp = await openMcp({ configFiles, discover: false, connect, cache, log });
  return { mcp, write };
}

function diagnosticsOf(source: Pick<Mcp, "on">): Diagnostic[] {
  const received: Diagnostic[] = [];
  source.on("diagnostic", (diagnostic) => received.push(diagnostic));
  return received;
}

const codesOf = (received: readonly Diagnostic[]) => received.map(({ code, server }) => `${code} ${server}`);

describe("the diagnostic event", () => {
  it("is emitted for each finding that is new in a reload", async () => {
    const { mcp, write } = await openFile({ a: { command: "a", ...other }, b: { command: "b" } });
    try {
      const received = diagnosticsOf(mcp);
      // On another line now, and no news.
      write({ z: { command: "z" }, a: { command: "a", ...other } });
      await mcp.reload();
      expect(received).toEqual([]);
      write({ a: { command: "a", ...other }, b: { command: "b", ...other } });
      const { diagnostics } = await mcp.reload();
      expect(codesOf(received)).toEqual(["shadowed b"]);
      expect(diagnostics).toEqual(expect.arrayContaining(received));
      await mcp.reload();
      expect(received).toHaveLength(1);
    } finally {
      await mcp.close();
    }
  });

  it("is emitted once for a problem that blocks every reload", async () => {
    const { mcp } = await openFile({ a: { command: "a" } });
    try {
      const received = diagnosticsOf(mcp);
      clone.writeFile("own.json", "");
      expect(await mcp.reload()).toMatchObject({ applied: false });
      await mcp.reload();
      expect(codesOf(received)).toEqual(["empty-file undefined"]);
    } finally {
      await mcp.close();
    }
  });

  it("names only the servers that still wait after another was approved", async () => {
    clone.write({ a: { command: "a" }, b: { command: "b" } });
    const asked = Promise.withResolvers<boolean>();
    const approve = ({ definition }: { definition: { name: string } }) =>
      definition.name === "a" ? asked.promise : Promise.resolve(false);
    await using mcp = await openMcp({
      ...clone.options,
      approval: { ...clone.options.approval, servers: approve },
    });
    const received = diagnosticsOf(mcp);
    const started = toolsOf(mcp, "a");
    asked.resolve(true);
    await started;
    await vi.waitFor(() => expect(received).toMatchObject([{ code: "not-approved" }]));
    expect(received[0]?.message).not.toContain('"a"');
  });

  it("reaches a view only for its own servers, until the view is closed", async () => {
    const { mcp, write } = await openFile({ a: { command: "a" }, b: { command: "b" } });
    try {
      const view = mcp.view({ servers: ["a"] });
      const user = await mcp.forPrincipal("ann");
      const [all, some, theirs] = [diagnosticsOf(mcp), diagnosticsOf(view), diagnosticsOf(user)];
      write({ a: { command: "a", ...other }, b: { command: "b", ...other } });
      await mcp.reload();
      expect(codesOf(all)).toEqual(["shadowed a", "shadowed b"]);
      expect(theirs).toEqual(all);
      expect(codesOf(some)).toEqual(["shadowed a"]);
      await view.close();
      diagnosticsOf(view);
      write({ a: { command: "a" } });
      await mcp.reload();
      write({ a: { command: "a", ...other } });
      await mcp.reload();
      expect(all.length).toBeGreaterThan(2);
      expect(some).toHaveLength(1);
    } finally {
      await mcp.close();
    }
  });

  it("reaches the other listeners if one throws or rejects, and logs the error", async () => {
    const log = vi.fn();
    const { mcp, write } = await openFile({ a: { command: "a" } }, log);
    try {
      mcp.on("diagnostic", () => {
        throw new Error("at once");
      });
      mcp.on("diagnostic", async () => {
        throw new Error("later");
      });
      const stopped = vi.fn();
      mcp.on("diagnostic", stopped)();
      const received = diagnosticsOf(mcp);
      write({ a: { command: "a", ...other } });
      await mcp.reload();
      expect(received).toHaveLength(1);
      expect(stopped).not.toHaveBeenCalled();
      for (const error of ["Error: at once", "Error: later"])
        expect(log).toHaveBeenCalledWith("error", 'A listener of "diagnostic" threw.', { error });
    } finally {
      await mcp.close();
    }
  });
});
