import { readdirSync, readFileSync } from "node:fs";
import { type ResolvedStdioServer, silentLogger } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import { createConnector } from "../../src/index.ts";
import { failureOf } from "../connecting.ts";

const CYCLES = casesOf(200, 1_000).numRuns;
const AT_A_TIME = 50;

/** The number of files, pipes and sockets that this host has open. */
function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Children of this process that have ended and were not reaped (proc(5): field 3 is the state, field 4 the parent). */
function zombies(): string[] {
  return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && isOwnZombie(entry));
}

function isOwnZombie(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" && Number(parent) === process.pid;
  } catch {
    return false;
  }
}

const crashing: ResolvedStdioServer = {
  transport: "stdio",
  name: "crash",
  command: "/bin/false",
  args: [],
  env: {},
  secrets: [],
};

test.runIf(process.platform === "linux")(
  "[R07] hundreds of servers that crash on start leave no zombie and no open descriptor",
  async () => {
    const connect = createConnector();
    const options = { signal: new AbortController().signal, log: silentLogger };
    const crash = () => failureOf(connect(crashing, options));
    await crash(); // loads what is loaded only once
    const before = openDescriptors();
    for (let cycle = 0; cycle < CYCLES; cycle += AT_A_TIME) {
      const errors = await Promise.all(Array.from({ length: AT_A_TIME }, crash));
      for (const error of errors) expect(error).toMatchObject({ code: "MCP_SERVER_EXITED", phase: "spawn" });
    }
    expect(zombies()).toEqual([]);
    expect(openDescriptors()).toBeLessThanOrEqual(before + 2);
  },
);
