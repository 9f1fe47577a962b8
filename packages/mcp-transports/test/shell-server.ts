import type { PriorHandshake, ResolvedStdioServer, Session } from "@jackfield/mcp-core";

/** What a shell server must be connected with: it does not know the question for its era. */
export const LEGACY_PRIOR: PriorHandshake = { era: "legacy", at: Date.now() };

/** Survives every polite request to end. `$leaf` is its process id, or that of the last one started before. */
const LINGER = 'trap "" TERM; while :; do sleep 600; done';

/** What a stubborn server starts before it serves, and leaves its process id in `$leaf`. */
export const LEAVES = {
  none: "leaf=$$",
  inSession: `sh -c '${LINGER}' </dev/null >/dev/null & leaf=$!`,
  outOfSession: `setsid sh -c '${LINGER}' </dev/null >/dev/null & leaf=$!`,
} as const;

/**
 * A server that is a shell script, fifty of which start in the time of one Node.js. It ignores the end of its input and SIGTERM,
 * has the leaf given, and answers every call with both process ids.
 */
export function stubbornShellServer(leaf: keyof typeof LEAVES): ResolvedStdioServer {
  const handshake = `"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}`;
  const script = `
    trap "" TERM
    ${LEAVES[leaf]}
    while read -r line; do
      id=\${line##*'"id":'}; id=\${id%%[,\\}]*}
      case $line in
        *'"initialize"'*) result='{${handshake}}' ;;
        *'"tools/call"'*) result='{"content":[],"structuredContent":{"pids":['$$,$leaf']}}' ;;
        *) continue ;;
      esac
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
    done
    ${LINGER}`;
  return {
    transport: "stdio",
    name: "shell",
    command: "/bin/sh",
    args: ["-c", script],
    env: { PATH: "/usr/bin:/bin" },
    limits: { connectTimeoutMs: 0 },
    secrets: [],
  };
}

/** The process ids a stubborn server tells. */
export async function pidsOf(session: Session): Promise<number[]> {
  const { structuredContent } = await session.request("tools/call", { name: "pids", arguments: {} });
  return [...new Set((structuredContent as { pids: number[] }).pids)];
}
