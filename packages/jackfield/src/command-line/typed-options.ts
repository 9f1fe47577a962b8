const TYPED = {
  hosts: '"--hosts"',
  files: '"--config"',
  configFiles: '"--config"',
  servers: '"--mcp-server"',
  maxFileBytes: '"--max-file-bytes"',
  inputs: '"--input"',
  projectVariables: '"--var"',
} as const;

/** How the library names one of its options: by a JSON pointer, in quotes. */
const LIBRARY_OPTION =
  /\boption "\/?(hosts|files|configFiles|servers|maxFileBytes|inputs|projectVariables)(?:\/(?:[^"\\]|\\.)*)?"/g;

/** What the library advises of its own calls, and what does the same here. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/\bsee its state in servers\(\)/g, 'see its state with "jackfield status"'],
  [/\b(?:connectTimeoutMs|callTimeoutMs|timeoutMs|maxTotalMs)\b(?=[ ,.;]|$)(?<=\braise \w+)/g, "--timeout"],
];

/** A message of the library with its options and calls named as they are typed on the command line. */
export function withTypedOptions(message: string): string {
  const named = message.replace(LIBRARY_OPTION, (_, option: keyof typeof TYPED) => TYPED[option]);
  return ADVICE.reduce((text, [advice, here]) => text.replace(advice, here), named);
}
