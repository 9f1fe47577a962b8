import type { Implementation } from "@jackfield/mcp-core";

/** Put in when this package is built: reading its manifest would make every connection wait for a file. */
declare const PACKAGE_VERSION: string | undefined;

/** Of the sources as they are, which no release is made of. */
const UNBUILT_VERSION = "0.0.0-source";

/** How we introduce ourselves where the host does not say. */
export const DEFAULT_CLIENT_INFO: Implementation = {
  name: "jackfield",
  version: typeof PACKAGE_VERSION === "undefined" ? UNBUILT_VERSION : PACKAGE_VERSION,
};
