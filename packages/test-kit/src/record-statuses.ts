import type { McpEvents, ServerStatus } from "@jackfield/mcp-core";

/** Anything that emits `statusChanged`. */
export interface StatusSource {
  on(event: "statusChanged", listener: (event: McpEvents["statusChanged"]) => void): () => void;
}

/** The statuses that servers went through since the recording began. */
export interface StatusRecord {
  /** One server's statuses in order, without the one before the recording. */
  of(server: string): readonly ServerStatus[];
  /** Resolves when the server reaches the status, or if it has done so since the recording began. */
  reached(server: string, status: ServerStatus): Promise<void>;
  /** Ends the recording. */
  stop(): void;
}

/** Records every status that a source reports. */
export function recordStatuses(source: StatusSource): StatusRecord {
  const statuses = new Map<string, ServerStatus[]>();
  const waiting = new Set<() => void>();
  const stop = source.on("statusChanged", ({ snapshot }) => {
    statuses.set(snapshot.name, [...(statuses.get(snapshot.name) ?? []), snapshot.status]);
    for (const check of [...waiting]) check();
  });
  const of = (server: string) => statuses.get(server) ?? [];
  return {
    of,
    stop,
    reached(server, status) {
      return new Promise((resolve) => {
        const check = () => {
          if (!of(server).includes(status)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
  };
}
