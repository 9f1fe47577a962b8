import type { PriorHandshake, ResolvedStdioServer, Session } from "@jackfield/mcp-core";

/** The prior with which a shell server must be connected: it does not know server/discover. */
export const LEGACY_PRIOR: PriorHandshake = { era: "legacy", at: Date.now() };

/** Survives every polite request to end. `$leaf` is its process id, or that of the last one started before. */
const LINGER = 'trap "" TERM; while :; do sleep 600; done';

const HANDSHAKE = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}`;

/** What a stubborn server starts before it serves, and leaves its process id in `$leaf`. */
const LEAVES = {
  none: "leaf=$$",
  inSession: `sh -c '${LINGER}' </dev/null >/dev/null & leaf=$!`,
  outOfSession: `setsid sh -c '${LINGER}' </dev/null >/dev/null & leaf=$!`,
} as const;

/**
 * A server that is a shell script, fifty of which start in the time of one Node.js. It ignores the end of its input and SIGTERM,
 * has the leaf given, and answers every call with both process ids.
 */
export function stubbornShellServer(leaf: keyof typeof LEAVES): ResolvedStdioServer {
  return shellServer(`
    trap "" TERM
    ${LEAVES[leaf]}
    while read -r line; do
      id=\${line##*'"id":'}; id=\${id%%[,\\}]*}
      case $line in
        *'"initialize"'*) result='${HANDSHAKE}' ;;
        *'"tools/call"'*) result='{"content":[],"structuredContent":{"pids":['$$,$leaf']}}' ;;
        *) continue ;;
      esac
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
    done
    ${LINGER}`);
}

/** A server that answers initialize, reads the given number of bytes more, and is killed. */
export function shellServerKilledAfter(bytes: number): ResolvedStdioServer {
  return shellServer(`
    read -r line
    id=\${line##*'"id":'}; id=\${id%%[,\\}]*}
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" '${HANDSHAKE}'
    head -c ${bytes} >/dev/null
    kill -9 $$`);
}

function shellServer(script: string): ResolvedStdioServer {
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

/** The process ids that a stubborn server reports. */
export async function pidsOf(session: Session): Promise<number[]> {
  const { structuredContent } = await session.request("tools/call", { name: "pids", arguments: {} });
  return [...new Set((structuredContent as { pids: number[] }).pids)];
}
