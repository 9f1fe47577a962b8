const TYPED = {
  hosts: '"--hosts"',
  files: '"--config"',
  configFiles: '"--config"',
  servers: '"--mcp-server"',
} as const;

/** How the library names one of its options: by a JSON pointer, in quotes. */
const LIBRARY_OPTION = /\boption "\/?(hosts|files|configFiles|servers)(?:\/(?:[^"\\]|\\.)*)?"/g;

/** A message of the library with its options named as they are typed on the command line. */
export function withTypedOptions(message: string): string {
  return message.replace(LIBRARY_OPTION, (_, option: keyof typeof TYPED) => TYPED[option]);
}
