import { describe, expect, test } from "vitest";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();

describe("another host's notation in a Continue YAML file", () => {
  const read = (content: object, file = "/folder/config.yaml") =>
    parse(JSON.stringify(content), { host: "continue", file });
  const url = "https://h/x";

  test("is reported: a map of servers", async () => {
    const { names, told, diagnostics } = await read({ mcpServers: { a: { command: "x" }, b: { url } } });
    expect([names, told]).toEqual([["a", "b"], ["legacy-shape"]]);
    expect(diagnostics).toMatchObject([{ pointer: "/mcpServers", line: 1 }]);
    const block = await read({ mcpServers: { a: { command: "x" } } }, "/folder/block.json");
    expect([block.names, block.told]).toEqual([["a"], []]);
  });

  test("is reported once per discovered file", async () => {
    const { discover } = await homeWith({
      ".continue/config.yaml": "mcpServers: {a: {command: x}}\n",
      "work/.continue/mcpServers/b.yaml": "name: b\nversion: 0.0.1\nmcpServers: {b: {command: x}}\n",
    });
    const { servers, diagnostics } = await discover({ hosts: ["continue"] });
    expect(servers.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["legacy-shape", "legacy-shape"]);
  });

  test("is reported: headers beside the URL", async () => {
    const entry = { name: "s", url, headers: { A: "1" } };
    const { servers, diagnostics } = await read({ mcpServers: [entry] });
    expect(servers[0]?.written).toMatchObject({ headers: { A: "1" } });
    expect(servers[0]?.written).not.toHaveProperty("extra");
    expect(diagnostics).toMatchObject([
      { code: "unknown-field", severity: "warning", pointer: "/mcpServers/0/headers" },
    ]);
    const block = await read({ mcpServers: { s: entry } }, "/folder/block.json");
    expect([block.servers[0]?.written.headers, block.told]).toEqual([{ A: "1" }, []]);
  });

  test("is not suggested for other shapes: the error asks for a list", async () => {
    const { diagnostics } = await parse("mcpServers: a\n", { host: "continue", file: "/folder/config.yaml" });
    expect(diagnostics[0]?.message).toContain('"mcpServers" must be a list of servers, not a string.');
    const block = await read({ mcpServers: "a" }, "/folder/block.json");
    expect(block.diagnostics[0]?.message).toContain("must be an object of servers by name");
  });
});

describe("headers in requestOptions of Continue", () => {
  const read = async (entry: object) => {
    const content = JSON.stringify({ mcpServers: [{ name: "s", ...entry }] });
    const { servers, told, diagnostics } = await parse(content, { host: "continue", file: "/folder/c.yaml" });
    return { written: servers[0]?.written, told, diagnostics };
  };
  const url = "https://h/x";

  test("win over other headers, which are kept and reported", async () => {
    const entry = { url, headers: { A: "1" }, requestOptions: { headers: { B: "2" }, timeout: 5 } };
    const { written, told, diagnostics } = await read(entry);
    expect(written).toMatchObject({ headers: { B: "2" } });
    expect(written?.extra).toEqual({ headers: { A: "1" }, requestOptions: { timeout: 5 } });
    expect(told).toEqual(["unused-field: s"]);
    expect(diagnostics[0]).toMatchObject({ pointer: "/mcpServers/0/headers" });
    expect(diagnostics[0]?.message).toContain('"headers" is ignored; "headers" in "requestOptions" wins.');
  });

  test("may repeat the other headers", async () => {
    const headers = { A: "1", B: "2" };
    const { written, told } = await read({ url, headers, requestOptions: { headers: { B: "2", A: "1" } } });
    expect([written?.headers, written?.extra, told]).toEqual([headers, undefined, []]);
  });

  test("have no effect on a stdio server and stay in extra", async () => {
    const requestOptions = { headers: { B: "2" } };
    const { written, told, diagnostics } = await read({ command: "x", requestOptions });
    expect(written?.extra).toEqual({ requestOptions });
    expect(told).toEqual(["unused-field: s"]);
    expect(diagnostics[0]).toMatchObject({ pointer: "/mcpServers/0/requestOptions" });
    expect(diagnostics[0]?.message).toContain('"headers" in "requestOptions" has no effect');
  });

  test("are reported if requestOptions is a string", async () => {
    const { written, diagnostics } = await read({ url, requestOptions: "A: 1" });
    expect(written).toMatchObject({ url });
    expect(diagnostics).toMatchObject([{ code: "invalid-field", pointer: "/mcpServers/0/requestOptions" }]);
  });
});
