#!/usr/bin/env node
// Loaded only by a Node that can: an older one would end with the stack of a missing function.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  const { runProgram } = await import("../dist/commands.js");
  process.exitCode = await runProgram(process.argv.slice(2));
} else {
  const found = `${process.versions.node} (${process.execPath})`;
  process.stderr.write(
    `jackfield needs Node.js 22.19 or newer, and this is ${found}; install a newer one.\n`,
  );
  process.exitCode = 1;
}
