import { packageTests } from "../../vitest.base.ts";

// Nothing of a test is written into the home of whoever runs it ([T95] of the threat list).
export default packageTests({ setupFiles: ["./test/own-home.ts"] });
