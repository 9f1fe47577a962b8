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

const literal = { env: { GITHUB_TOKEN: "ghp_0123456789abcdefghijABCDEFGHIJ012345" } };

/** A runtime of one file of the user's, which the test writes. */
async function openFile(servers: object, log?: () => void) {
  const write = (mcpServers: object) => clone.writeFile("own.json", { mcpServers });
  const { connect, cache } = clone.options;
  const mcp = await openMcp({ configFiles: [write(servers)], discover: false, connect, cache, log });
  return { mcp, write };
}

function heard(source: Pick<Mcp, "on">): Diagnostic[] {
  const told: Diagnostic[] = [];
  source.on("diagnostic", (diagnostic) => told.push(diagnostic));
  return told;
}

const codesOf = (told: readonly Diagnostic[]) => told.map(({ code, server }) => `${code} ${server}`);

describe("the event of a diagnostic", () => {
  it("is told of each that a reload finds and that was not there before", async () => {
    const { mcp, write } = await openFile({ a: { command: "a", ...literal }, b: { command: "b" } });
    try {
      const told = heard(mcp);
      // On another line now, and no news.
      write({ z: { command: "z" }, a: { command: "a", ...literal } });
      await mcp.reload();
      expect(told).toEqual([]);
      write({ a: { command: "a", ...literal }, b: { command: "b", ...literal } });
      const { diagnostics } = await mcp.reload();
      expect(codesOf(told)).toEqual(["literal-secret b"]);
      expect(diagnostics).toEqual(expect.arrayContaining(told));
      await mcp.reload();
      expect(told).toHaveLength(1);
    } finally {
      await mcp.close();
    }
  });

  it("is told of what keeps a reload from being taken, once", async () => {
    const { mcp } = await openFile({ a: { command: "a" } });
    try {
      const told = heard(mcp);
      clone.writeFile("own.json", "");
      expect(await mcp.reload()).toMatchObject({ applied: false });
      await mcp.reload();
      expect(codesOf(told)).toEqual(["empty-file undefined"]);
    } finally {
      await mcp.close();
    }
  });

  it("is told of what waits for approval now, also after some of it was approved", async () => {
    clone.write({ a: { command: "a" }, b: { command: "b" } });
    const asked = Promise.withResolvers<boolean>();
    const approve = ({ definition }: { definition: { name: string } }) =>
      definition.name === "a" ? asked.promise : Promise.resolve(false);
    await using mcp = await openMcp({ ...clone.options, approve });
    const told = heard(mcp);
    const started = toolsOf(mcp, "a");
    asked.resolve(true);
    await started;
    await vi.waitFor(() => expect(told).toMatchObject([{ code: "not-approved" }]));
    expect(told[0]?.message).not.toContain('"a"');
  });

  it("is told to a view of what concerns it, until it is closed", async () => {
    const { mcp, write } = await openFile({ a: { command: "a" }, b: { command: "b" } });
    try {
      const view = mcp.view({ servers: ["a"] });
      const user = await mcp.forPrincipal("ann");
      const [all, some, theirs] = [heard(mcp), heard(view), heard(user)];
      write({ a: { command: "a", ...literal }, b: { command: "b", ...literal } });
      await mcp.reload();
      expect(codesOf(all)).toEqual(["literal-secret a", "literal-secret b"]);
      expect(theirs).toEqual(all);
      expect(codesOf(some)).toEqual(["literal-secret a"]);
      await view.close();
      heard(view);
      write({ a: { command: "a", headers: {} } });
      await mcp.reload();
      write({ a: { command: "a", ...literal } });
      await mcp.reload();
      expect(all.length).toBeGreaterThan(2);
      expect(some).toHaveLength(1);
    } finally {
      await mcp.close();
    }
  });

  it("survives listeners that throw or reject, which the logger is told", async () => {
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
      const told = heard(mcp);
      write({ a: { command: "a", ...literal } });
      await mcp.reload();
      expect(told).toHaveLength(1);
      expect(stopped).not.toHaveBeenCalled();
      for (const error of ["Error: at once", "Error: later"])
        expect(log).toHaveBeenCalledWith("error", 'a listener of "diagnostic" threw', { error });
    } finally {
      await mcp.close();
    }
  });
});
