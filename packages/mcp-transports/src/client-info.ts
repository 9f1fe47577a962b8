import type { Implementation } from "@jackfield/mcp-core";

/** Inserted at build time: reading `package.json` would make every connection wait for a file. */
declare const PACKAGE_VERSION: string | undefined;

/** The version of unbuilt sources. Every release is built. */
const UNBUILT_VERSION = "0.0.0-source";

/** The client's name and version if the host sets none. */
export const DEFAULT_CLIENT_INFO: Implementation = {
  name: "jackfield",
  version: typeof PACKAGE_VERSION === "undefined" ? UNBUILT_VERSION : PACKAGE_VERSION,
};
