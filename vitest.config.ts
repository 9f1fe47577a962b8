import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "bench", "examples"],
    coverage: { provider: "v8", include: ["packages/*/src/**"], reporter: ["text", "json-summary"] },
  },
});
