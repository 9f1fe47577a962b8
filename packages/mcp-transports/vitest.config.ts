import { defineConfig } from "vitest/config";

export default defineConfig({
  // The build puts the package's version there.
  define: { PACKAGE_VERSION: JSON.stringify("0.0.0-source") },
  test: {
    // Looks for leaks after every test, whatever its file remembers to ask for.
    setupFiles: ["./test/setup.ts"],
    // Tests that run beside each other mostly wait for processes, and so do files.
    maxConcurrency: 4,
  },
});
