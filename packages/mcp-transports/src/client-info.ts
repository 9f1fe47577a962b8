import type { Implementation } from "@jackfield/mcp-core";

/** The version of this package, put in when it is built: reading it would make every connection wait for a file. */
declare const PACKAGE_VERSION: string;

/** How we introduce ourselves where the host does not say. */
export const DEFAULT_CLIENT_INFO: Implementation = { name: "jackfield", version: PACKAGE_VERSION };
