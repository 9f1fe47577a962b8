import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { findOrphans } from "../../src/index.ts";
import { isRunning, killAtEnd } from "../processes.ts";

test.runIf(process.platform !== "win32")(
  "a server whose host was killed is found by its command, and not ended",
  async () => {
    const mark = `orphan-${process.pid}`;
    const source = "setInterval(() => {}, 1000)";
    const starter = `const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", ${JSON.stringify(source)}, "${mark}"], { detached: true, stdio: "ignore" });
child.once("spawn", () => console.log(child.pid));
setInterval(() => {}, 1000);`;
    const host = spawn(process.execPath, ["-e", starter], { stdio: ["ignore", "pipe", "ignore"] });
    killAtEnd(host.pid as number);
    const [printed] = await once(host.stdout, "data");
    const pid = Number(String(printed));
    killAtEnd(pid);
    const server = { name: "kept", command: process.execPath, args: ["-e", source, mark] };
    expect(findOrphans([server]), "while its host lives").toEqual([]);
    host.kill("SIGKILL");
    await once(host, "exit");
    await expect.poll(() => findOrphans([server])).toEqual([{ server: "kept", pid }]);
    expect(findOrphans([{ ...server, args: ["-e", source, "another"] }])).toEqual([]);
    expect(findOrphans([{ ...server, command: "python" }])).toEqual([]);
    expect(isRunning(pid)).toBe(true);
  },
);
