import { packageTests } from "../../vitest.base.ts";

// It tests what looks at a whole process, and servers that break the connections of theirs.
export default packageTests({ isolate: true });
