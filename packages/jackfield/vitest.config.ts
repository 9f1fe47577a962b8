import { defineConfig } from "vitest/config";

export default defineConfig({
  // Nothing of a test is written into the home of whoever runs it ([T95] of the threat list).
  test: { setupFiles: ["./test/own-home.ts"] },
});
