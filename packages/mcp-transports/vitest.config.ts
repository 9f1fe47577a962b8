import { packageTests } from "../../vitest.base.ts";

export default packageTests({
  // Looks for leaks after every test, whatever its file remembers to ask for.
  setupFiles: ["./test/setup.ts"],
  // Tests that run beside each other mostly wait for processes, and so do files.
  maxConcurrency: 4,
  // One that begins must not clear what the mocks of another have heard.
  clearMocks: false,
});
