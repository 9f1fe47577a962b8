import { packageTests } from "../../vitest.base.ts";

export default packageTests({
  // Its tests count open descriptors, listeners and memory of their process, and mostly wait: a process for each file costs little.
  isolate: true,
  // Looks for leaks after every test, whatever its file remembers to ask for.
  setupFiles: ["./test/setup.ts"],
  // Tests that run beside each other mostly wait for processes, and so do files.
  maxConcurrency: 4,
});
