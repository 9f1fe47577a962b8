import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { AMP_VARIABLES, readAmpPermissions } from "./amp-permissions.ts";
import { type HostDialect, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { inDirectory, joined, systemDirectory, upward } from "./host-paths.ts";

const FILES = ["settings.jsonc", "settings.json"];

/** Servers are under one key with a dot in it, among other settings; rules about them are under another. */
export const AMP: HostDialect = {
  id: "amp",
  title: "Amp",
  format: "jsonc",
  files: [
    {
      kind: "managed",
      scope: "managed",
      paths: (at) => inDirectory(at, managedDirectory(at), "managed-settings.json"),
    },
    {
      kind: "project",
      scope: "project",
      paths: upward(...FILES.map((file) => `.amp/${file}`)),
    },
    {
      kind: "user",
      scope: "user",
      paths: (at) => inDirectory(at, joined(at, at.home, ".config/amp"), ...FILES),
    },
  ],
  servers: serversUnder("amp.mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: { ...COMMON_FIELDS, include: "includeTools" },
    switches: ["disabled"],
  }),
  variables: AMP_VARIABLES,
  lists: readAmpPermissions,
};

function managedDirectory(at: HostSurroundings): string {
  return systemDirectory(at, {
    darwin: "/Library/Application Support/ampcode",
    win32: "%ProgramData%\\ampcode",
    other: "/etc/ampcode",
  });
}
