import { expect, test } from "vitest";
import { loadServers } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

const parseEntry = (entry: object) =>
  parse({ mcpServers: { s: { command: "x", ...entry } } }, { host: "jackfield", file: "/folder/own.json" });

test.each([1, 30, 999])("a timeout of %d milliseconds is kept and reported as too short", async (timeout) => {
  const { servers, diagnostics } = await parseEntry({ timeout });
  expect(servers.map(({ written }) => written.timeoutMs)).toEqual([timeout]);
  expect(diagnostics).toMatchObject([
    { code: "deprecated-field", severity: "warning", server: "s", pointer: "/mcpServers/s/timeout" },
  ]);
  expect(diagnostics[0]?.message).toContain(`write ${timeout * 1000} if you meant seconds`);
});

test.each([{ timeout: 0 }, { timeout: 1000 }, { callTimeoutMs: 30 }, { timeout: 30, callTimeoutMs: 40 }])(
  "a limit of %j gives no diagnostic",
  async (entry) => {
    expect((await parseEntry(entry)).told).toEqual([]);
  },
);

test("a short timeout from code gives no diagnostic", async () => {
  const { servers, diagnostics } = await loadServers({ servers: { s: { command: "x", timeout: 30 } } });
  expect(servers).toMatchObject([{ limits: { callTimeoutMs: 30 } }]);
  expect(diagnostics).toEqual([]);
});
