import { fileURLToPath } from "node:url";

/** The other programs of this package, each a process of its own. */
const SCRIPTS = {
  "find-servers": new URL("./find-servers.ts", import.meta.url),
  measure: new URL("./measure.ts", import.meta.url),
  "read-catalog": new URL("./read-catalog.ts", import.meta.url),
  "read-rows": new URL("./read-rows.ts", import.meta.url),
  "read-tool-cache": new URL("./read-tool-cache.ts", import.meta.url),
  "stdio-server": new URL("./servers/stdio.ts", import.meta.url),
  "http-server": new URL("./servers/http.ts", import.meta.url),
};

/** The path of a program: its source if this is source, else what was built of it. */
export function scriptPath(name: keyof typeof SCRIPTS): string {
  const source = fileURLToPath(SCRIPTS[name]);
  return import.meta.url.endsWith(".ts") ? source : source.replace(/\.ts$/, ".js");
}
