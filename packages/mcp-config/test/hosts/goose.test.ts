import { expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

test.each(["streamable_http", "sse"])(
  "env_keys of a remote server (%s) is kept without a remark",
  async (type) => {
    const entry = { type, uri: "https://h/mcp", envs: { A: "a" }, env_keys: ["KEY"] };
    const { servers, told } = await parse(
      { extensions: { s: entry } },
      { host: "goose", file: "/folder/config.yaml" },
    );
    expect(servers).toMatchObject([{ written: { env: { A: "a" }, extra: { env_keys: ["KEY"] } } }]);
    expect(told).toEqual([]);
  },
);

test("env_keys of a process is handed on, and a field that means nothing for a remote server is still told of", async () => {
  const extensions = {
    child: { type: "stdio", cmd: "x", env_keys: ["KEY"] },
    remote: { type: "sse", uri: "https://h/sse", args: ["x"] },
  };
  const { servers, told } = await parse({ extensions }, { host: "goose", file: "/folder/config.yaml" });
  expect(servers[0]?.definition).toMatchObject({ envPassthrough: ["KEY"] });
  expect(servers[0]?.written.extra).toBeUndefined();
  expect(told).toEqual(["unused-field: remote"]);
});
