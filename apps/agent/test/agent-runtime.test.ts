import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runtimeOptions } from "../src/agent-runtime.ts";
import { parseArguments } from "../src/arguments.ts";
import { openScreen } from "../src/screen.ts";
import { terminalStyle } from "../src/terminal-style.ts";
import { createTextSink } from "./fixtures/text-sink.ts";
import { createTypist } from "./fixtures/typist.ts";

const demoServers = { demo: { command: "demo", args: [] } };

function optionsFor(argv: readonly string[], typist?: ReturnType<typeof createTypist>) {
  const parsed = parseArguments(argv);
  if (parsed.kind !== "run") throw new Error("The command line is wrong.");
  const stdout = createTextSink();
  return runtimeOptions({
    arguments: parsed.arguments,
    demoServers,
    screen: openScreen(stdout),
    style: terminalStyle({}, {}),
    terminal: typist?.terminal,
    stdin: new PassThrough(),
    stdout,
    signal: new AbortController().signal,
  });
}

describe("the agent's runtime options", () => {
  it("contain the demo servers and disable discovery by default", () => {
    expect(optionsFor(["--config", "more.json"])).toMatchObject({
      servers: demoServers,
      configFiles: ["more.json"],
      discover: false,
    });
  });

  it("set discovery as --discover and --hosts say", () => {
    expect(optionsFor(["--discover"]).discover).toEqual({ hosts: undefined });
    expect(optionsFor(["--discover", "--hosts", "cursor, vscode"]).discover).toEqual({
      hosts: ["cursor", "vscode"],
    });
    expect(optionsFor(["--discover", "--hosts", "all"]).discover).toEqual({ hosts: "all" });
  });

  it("ask about servers and calls in a terminal only", () => {
    const typist = createTypist();
    const asking = optionsFor([], typist);
    typist.terminal.close();
    expect(asking.approval?.servers).toBeTypeOf("function");
    expect(asking.use).toHaveLength(2);
    const silent = optionsFor([]);
    expect(silent.approval?.servers).toBeUndefined();
    expect(silent.use).toHaveLength(1);
  });
});
