import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "bench"],
    // Tests mostly wait, for processes and sockets: with one worker a machine with two processors would be idle half of the time.
    maxWorkers: Math.max(2, availableParallelism()),
    coverage: { provider: "v8", include: ["packages/*/src/**"], reporter: ["text", "json-summary"] },
  },
});
