import { describe, expect, test } from "vitest";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();
const npx = (...args: string[]) => ({ command: "npx", args });
const servers = (entries: object) => ({ mcpServers: entries });

describe("servers of several hosts", () => {
  test("with one name and one command are one server, and nothing is told", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ github: npx("-y", "@acme/github") }),
      ".kiro/settings/mcp.json": servers({ github: { ...npx("-y", "@acme/github"), env: { A: "1" } } }),
    });
    const found = await discover({ hosts: ["cursor", "kiro"] });
    expect(found.servers).toMatchObject([
      { definedIn: { host: "cursor" }, shadows: [{ definedIn: { host: "kiro" } }] },
    ]);
    expect(found.shadowed).toMatchObject([
      { definition: { definedIn: { host: "kiro" } }, by: { host: "cursor" } },
    ]);
    expect(found.diagnostics).toEqual([]);
  });

  test("with one name and different commands: the stronger is used, and the other is told", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ github: npx("@acme/github") }),
      ".kiro/settings/mcp.json": servers({ github: npx("@other/github") }),
    });
    const found = await discover({ hosts: ["cursor", "kiro"] });
    expect(found.servers).toMatchObject([{ args: ["@acme/github"] }]);
    expect(found.diagnostics).toMatchObject([{ code: "shadowed", severity: "info", server: "github" }]);
    expect(found.diagnostics[0]?.message).toMatch(/kiro.*is shadowed by another server of that name.*cursor/);
    const { diagnostics } = await discover({ hosts: ["cursor", "kiro"], remarks: true });
    expect(diagnostics[0]).toMatchObject({ line: 1, column: expect.any(Number) });
    expect(diagnostics[0]?.message).toMatch(/kiro\S*mcp\.json:1:\d+\).*cursor\S*mcp\.json:1:\d+\./);
  });

  test("with different names are different servers, even for one command or URL", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ a: npx("x"), b: { url: "https://h/mcp" } }),
      ".kiro/settings/mcp.json": servers({ c: npx("x"), d: { url: "https://h/mcp" } }),
    });
    const found = await discover({ hosts: ["cursor", "kiro"] });
    expect(found.servers.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    expect(found.shadowed).toEqual([]);
  });
});
