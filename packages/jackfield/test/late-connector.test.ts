import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** A program in which the first import of the transports fails, as it does while no file descriptor is left. */
const PROGRAM = `
import { registerHooks } from "node:module";
let failures = 1;
registerHooks({
  resolve(name, context, next) {
    if (name !== "@jackfield/mcp-transports") return next(name, context);
    failures -= 1;
    if (failures >= 0) throw new Error("EMFILE");
    return next(name, context);
  },
});
const { createLateConnector } = await import(${JSON.stringify(new URL("../src/transports.ts", import.meta.url).href)});
const connect = createLateConnector({});
const server = { name: "a", transport: "stdio", command: "no-such-command", args: [], env: {}, secrets: [] };
for (let attempt = 0; attempt < 2; attempt += 1)
  await connect(server, { signal: new AbortController().signal, log() {} }).catch((error) => {
    console.log(error.code ?? error.message);
  });
`;

it("a load of the transports that failed is tried again by the next attempt", async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", PROGRAM]);
  expect(stdout.trim().split("\n")).toEqual(["EMFILE", "MCP_COMMAND_NOT_FOUND"]);
});
