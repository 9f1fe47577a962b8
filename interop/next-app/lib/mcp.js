import { openMcp } from "jackfield";

export const mcp = () =>
  openMcp({
    id: "app",
    discover: false,
    cache: false,
    servers: { echo: { command: process.execPath, args: [process.env.ECHO_SERVER] } },
    log: (_level, message) => process.stderr.write(`saved 0: ${message}\n`),
  });

// A module that opens the runtime as soon as it is evaluated, which a production build does as well.
await mcp();
