import { isMcpError, type ToolRef, type ToolSource, type ToolsChanged } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** A source made for one test. It offers at least two tools. */
export interface ToolSourceUnderTest {
  readonly source: ToolSource;
  /** A tool that takes any object and returns it as JSON in one text block. */
  readonly echo: { readonly server: string; readonly tool: string };
  /** Makes the source emit `toolsChanged`, now or soon. */
  changeTools(): void | Promise<void>;
  /** Ends the source and everything opened for it. */
  dispose(): Promise<void>;
}

/** Registers the tests that every `ToolSource` must pass, each with its own source. */
export function toolSourceSuite(name: string, open: () => Promise<ToolSourceUnderTest>): void {
  describe(`${name} as a ToolSource`, () => {
    let opened: ToolSourceUnderTest;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.dispose());

    describeTools(() => opened);
    describeSearch(() => opened);
    describeCalls(() => opened);
    describeListeners(() => opened);
  });
}

function describeSearch(openedOf: () => ToolSourceUnderTest): void {
  test("searchTools finds a tool that is offered by its exact name, first", () => {
    const { source } = openedOf();
    for (const tool of source.tools()) expect(source.searchTools(tool.name)[0]).toBe(tool);
  });

  test("searchTools finds no more than it is asked for, and only of the servers that it is asked for", () => {
    const { source, echo } = openedOf();
    expect(source.searchTools(echo.tool, { limit: 1 }).length).toBe(1);
    expect(source.searchTools(echo.tool, { servers: [] })).toEqual([]);
    expect(source.searchTools(echo.tool, { tools: () => false })).toEqual([]);
    const found = source.searchTools(echo.tool, { servers: [echo.server] });
    expect(new Set(found.map(({ server }) => server))).toEqual(new Set([echo.server]));
  });

  test("searchTools finds nothing where nothing fits", () => {
    expect(openedOf().source.searchTools("zyxwvut qponmlk")).toEqual([]);
  });
}

function describeTools(openedOf: () => ToolSourceUnderTest): void {
  test("tools are sorted by name, each name unique and accepted by models", () => {
    const names = openedOf()
      .source.tools()
      .map((tool) => tool.name);
    expect(names.length).toBeGreaterThan(1);
    expect(names).toEqual([...new Set(names)].sort());
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  test("tools() returns the same frozen list while nothing changes", async () => {
    const { source, echo } = openedOf();
    const tools = source.tools();
    expect(Object.isFrozen(tools)).toBe(true);
    await source.callTool(echo, {});
    expect(source.tools()).toBe(tools);
  });

  test("toolsChanged names exactly the tools added and removed", async () => {
    const { source, changeTools } = openedOf();
    const before = source.tools();
    const changed = nextChange(source);
    await changeTools();
    const { added, removed, changed: altered } = await changed;
    const after = source.tools();
    expect(after).not.toBe(before);
    const [namesBefore, namesAfter] = [before, after].map((tools) => tools.map((tool) => tool.name));
    expect([...added].sort()).toEqual(namesAfter?.filter((name) => !namesBefore?.includes(name)));
    expect([...removed].sort()).toEqual(namesBefore?.filter((name) => !namesAfter?.includes(name)));
    expect(added.length + removed.length + altered.length).toBeGreaterThan(0);
  });
}

function describeCalls(openedOf: () => ToolSourceUnderTest): void {
  test("callTool takes the exposed name of a tool", async () => {
    const { source, echo } = openedOf();
    const exposed = source
      .tools()
      .find((tool) => tool.server === echo.server && tool.originalName === echo.tool);
    expect(exposed).toBeDefined();
    const { content, isError } = await source.callTool(exposed?.name ?? "", { text: "hello" });
    expect(content).toMatchObject([{ type: "text", text: JSON.stringify({ text: "hello" }) }]);
    expect(isError ?? false).toBe(false);
  });

  test("callTool takes a server and the original name of a tool", async () => {
    const { source, echo } = openedOf();
    const { content } = await source.callTool(echo, { text: "hello" });
    expect(content).toMatchObject([{ type: "text", text: JSON.stringify({ text: "hello" }) }]);
  });

  test("callTool takes a call without arguments", async () => {
    const { source, echo } = openedOf();
    expect((await source.callTool(echo)).content).toMatchObject([{ type: "text", text: "{}" }]);
  });

  test("callTool rejects an unknown tool with MCP_TOOL_UNKNOWN, whatever its name", async () => {
    const { source, echo } = openedOf();
    const refs: readonly ToolRef[] = [
      "no_such_tool",
      "",
      "__proto__",
      "constructor",
      { server: echo.server, tool: "no_such_tool" },
      { server: echo.server, tool: "__proto__" },
    ];
    for (const ref of refs) {
      const error = await rejectionOf(source.callTool(ref, {}));
      expect(isMcpError(error, "MCP_TOOL_UNKNOWN"), `${JSON.stringify(ref)}: ${String(error)}`).toBe(true);
    }
  });

  test("callTool rejects a tool of an unknown server", async () => {
    const { source, echo } = openedOf();
    const error = await rejectionOf(source.callTool({ server: "no-such-server", tool: echo.tool }, {}));
    expect(isMcpError(error, "MCP_SERVER_UNKNOWN") || isMcpError(error, "MCP_TOOL_UNKNOWN")).toBe(true);
  });

  test("callTool with an aborted signal fails as not sent", async () => {
    const { source, echo } = openedOf();
    const error = await rejectionOf(source.callTool(echo, {}, { signal: AbortSignal.abort() }));
    expect(isMcpError(error, "MCP_ABORTED"), String(error)).toBe(true);
    expect(error).toMatchObject({ outcome: "not-sent" });
  });
}

function describeListeners(openedOf: () => ToolSourceUnderTest): void {
  test("a throwing listener affects neither other listeners nor calls", async () => {
    const { source, echo, changeTools } = openedOf();
    source.on("toolsChanged", () => {
      throw new Error("A listener that throws.");
    });
    const changed = nextChange(source);
    await changeTools();
    await changed;
    expect((await source.callTool(echo, {})).content).toMatchObject([{ type: "text" }]);
  });

  test("a removed listener hears nothing, even if it was removed twice", async () => {
    const { source, changeTools } = openedOf();
    const heard: ToolsChanged[] = [];
    const stop = source.on("toolsChanged", (event) => heard.push(event));
    stop();
    stop();
    const changed = nextChange(source);
    await changeTools();
    await changed;
    expect(heard).toEqual([]);
  });
}

function nextChange(source: ToolSource): Promise<ToolsChanged> {
  return new Promise((resolve) => {
    const stop = source.on("toolsChanged", (event) => {
      stop();
      resolve(event);
    });
  });
}

function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
