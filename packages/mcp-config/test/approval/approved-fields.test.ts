import type { ServerDefinition } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { definitionContent } from "../../src/approval/approval-ledger.ts";
import { approvalRequest } from "../../src/approval/approval-request.ts";
import { parse } from "../discovery/parsing.ts";

async function approved(host: string, entry: object, file = "/folder/block.json") {
  const { servers } = await parse({ mcpServers: { s: { command: "x", ...entry } } }, { host, file });
  const definition = servers[0]?.definition as ServerDefinition;
  const { text, definition: asked } = approvalRequest(definition, "linux");
  expect(asked).toBe(definition);
  return { definition, text, content: definitionContent(definition) };
}

test("the plainVariables derived from env in Continue are neither shown nor approved", async () => {
  const env = { A: "${LEVEL}" };
  const { definition, text, content } = await approved("continue", { env });
  expect(definition.extra).toEqual({ plainVariables: ["LEVEL"] });
  expect(text).not.toContain("extra");
  const { extra: _extra, ...rest } = definition;
  expect(content).toBe(definitionContent(rest));
  const other = await approved("continue", { env, args: ["${{ secrets.LEVEL }}"] });
  expect(other.content).not.toBe(content);
});

test("other extra fields are shown and approved without the derived plainVariables", async () => {
  const { text, content } = await approved("continue", { env: { A: "${LEVEL}" }, other: 1 });
  expect(text).toContain('extra    {"other":1}');
  expect(content).toContain('"extra":{"other":1}');
});

test.each([
  ["claude-code", "/folder/.mcp.json"],
  ["continue", "/folder/config.yaml"],
])("a plainVariables field written in a file of %s is shown and approved: %s", async (host, file) => {
  const { text, content } = await approved(host, { plainVariables: ["LEVEL"] }, file);
  expect(text).toContain('extra    {"plainVariables":["LEVEL"]}');
  expect(content).toContain("plainVariables");
});
