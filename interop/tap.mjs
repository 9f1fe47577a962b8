// Stands between a client and a stdio server and writes down what the client does: a line for each start and each request.
// argv: the file, the server's program, its arguments.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const [file, ...server] = process.argv.slice(2);
appendFileSync(file, "started\n");
const child = spawn(process.execPath, server, { stdio: ["pipe", "inherit", "inherit"] });
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined && method !== undefined) appendFileSync(file, `${method}\n`);
    child.stdin.write(`${line}\n`);
  })
  .on("close", () => child.stdin.end());
child.stdin.on("error", () => {}); // It has ended, as the next line hears.
child.on("close", (code) => process.exit(code ?? 1));
