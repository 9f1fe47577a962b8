import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { AMP_VARIABLES, readAmpPermissions } from "./amp-permissions.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { homeFolder, systemFolder, upward, within } from "./host-paths.ts";

const FILES = ["settings.jsonc", "settings.json"];

const MANAGED = systemFolder({
  darwin: "/Library/Application Support/ampcode",
  win32: "%ProgramData%\\ampcode",
  other: "/etc/ampcode",
});

/** Servers are under one key with a dot in it, among other settings; rules about them are under another. */
export const AMP: HostDialect = {
  id: "amp",
  title: "Amp",
  format: "jsonc",
  files: [
    { kind: "managed", scope: "managed", paths: within(MANAGED, "managed-settings.json") },
    {
      kind: "project",
      scope: "project",
      paths: upward(...FILES.map((file) => `.amp/${file}`)),
    },
    { kind: "user", scope: "user", paths: within(homeFolder(".config/amp"), ...FILES) },
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
