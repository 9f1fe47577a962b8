import { expect, test } from "vitest";
import { parseHostFile } from "../../src/index.ts";

test("each entry without a valid name is an error and shadows nothing", async () => {
  const text = [
    "mcpServers:",
    '  - {name: "", command: x}',
    "  - {command: y}",
    "  - {name: 5, command: z}",
    "  - {name: ok, command: w}",
  ].join("\n");
  const { servers, diagnostics } = await parseHostFile({
    host: "continue",
    file: "/home/u/config.yaml",
    text,
  });
  expect(servers.map(({ name }) => name)).toEqual(["ok"]);
  expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
    ["ServerConfigError", 2],
    ["ServerConfigError", 3],
    ["ServerConfigError", 4],
  ]);
});
