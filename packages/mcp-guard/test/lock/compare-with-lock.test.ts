import { describe, expect, test } from "vitest";
import { compareWithLock, formatComparison } from "../../src/lock/compare-with-lock.ts";
import { type LockableTools, lockOf } from "../../src/lock/mcp-lock.ts";
import { offeredTool } from "../tool-fixture.ts";
import { locked } from "./lock-fixture.ts";

const lock = lockOf(locked());

function compare(change: Partial<LockableTools>) {
  return compareWithLock(lock, { ...locked(), ...change });
}

describe("comparing servers with a lock", () => {
  test("finds no difference when only the order changed", () => {
    const { servers, tools } = locked();
    const turned = { servers: [...servers].reverse(), tools: [...tools].reverse() };
    expect(compare(turned)).toEqual({ isSame: true, servers: [] });
    expect(formatComparison(compare({}))).toBe("");
  });

  test("reports added, removed and changed tools with their changes", () => {
    const [, read = offeredTool(), fetch = offeredTool()] = locked().tools;
    const reading = { ...read.definition, description: "Reads\nthem all" };
    const comparison = compare({
      tools: [offeredTool(reading), offeredTool({ name: "new\u001b[2J" }), fetch],
    });
    expect(comparison).toEqual({
      isSame: false,
      servers: [
        {
          server: "files",
          state: "changed",
          version: undefined,
          added: ["new\u001b[2J"],
          removed: ["write_file"],
          changed: [
            {
              tool: "read_file",
              changes: [{ path: "/description", before: "Reads", after: "Reads\nthem all" }],
            },
          ],
        },
      ],
    });
    expect(formatComparison(comparison).split("\n")).toEqual([
      "files differs from the lock",
      "  + new",
      "  - write_file",
      "  ~ read_file",
      "    /description",
      "      - Reads",
      "      + Reads",
      "      + them all",
    ]);
  });

  test("reports a changed server version", () => {
    const [web] = locked().servers;
    const files = {
      name: "files",
      toolsFrom: "live" as const,
      serverInfo: { name: "files-server", version: "2.0.0" },
    };
    const comparison = compare({ servers: web === undefined ? [files] : [web, files] });
    expect(comparison.isSame).toBe(false);
    expect(formatComparison(comparison)).toBe(
      "files differs from the lock\n  version: files-server 1.0.0 -> files-server 2.0.0",
    );
  });

  test("does not compare a version the server does not report", () => {
    const servers = locked().servers.map(({ name, toolsFrom }) => ({ name, toolsFrom }));
    expect(compare({ servers }).isSame).toBe(true);
  });

  test.each([
    ["removed", { servers: locked().servers.slice(1) }, "web is in the lock, but not configured"],
    [
      "unlisted",
      {
        servers: locked().servers.map((server) =>
          server.name === "web" ? { name: "web", toolsFrom: "cache" as const } : server,
        ),
      },
      "web has not listed its tools, so they could not be compared",
    ],
    [
      "added",
      { servers: [...locked().servers, { name: "mail", toolsFrom: "live" as const }] },
      "mail is not in the lock",
    ],
  ])("reports a server that is %s", (state, change, line) => {
    const comparison = compare(change);
    expect(comparison).toMatchObject({ isSame: false, servers: [{ state }] });
    expect(formatComparison(comparison)).toBe(line);
  });
});
