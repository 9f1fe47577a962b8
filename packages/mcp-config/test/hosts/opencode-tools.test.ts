import { expect, test } from "vitest";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const LOCAL = { type: "local", command: ["x"] };

test.each<[object, object | undefined]>([
  [{ a_rm: false, b_rm: false }, { exclude: ["rm"] }],
  [{ "a_*": false }, { exclude: ["*"] }],
  [
    { "a*": false, a_read: true },
    { include: ["read"], exclude: [] },
  ],
  [{ "*_rm": false }, { exclude: ["*_rm", "rm"] }],
  [{ "*": false, "a_*": true }, undefined],
  [{ "a_r?": false, a_rm: "no" }, { exclude: ["r*"] }],
  [{}, undefined],
])("opencode switches tools off by their names: %j", async (tools, expected) => {
  const { servers } = await parse({ mcp: { a: LOCAL }, tools }, { host: "opencode" });
  const { include, exclude = [] } = servers[0]?.definition.tools ?? {};
  const found = include ? { include, exclude } : { exclude };
  expect(servers[0]?.definition.tools && found).toEqual(expected);
});

test("a project of opencode switches tools of the user's off, and none on", async () => {
  const { discover } = await homeWith({
    ".config/opencode/opencode.json": { mcp: { a: LOCAL }, tools: { a_rm: false } },
    "work/opencode.json": { mcp: { b: LOCAL }, tools: { a_rm: true, a_mv: false, b_rm: false } },
  });
  const { servers } = await discover({ hosts: ["opencode"] });
  const tools = Object.fromEntries(servers.map((server) => [server.name, server.tools]));
  expect(tools).toEqual({ a: { exclude: ["mv", "rm"] }, b: { exclude: ["rm"] } });
});
