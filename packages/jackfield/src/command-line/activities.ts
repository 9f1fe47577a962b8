import type { Connector } from "@jackfield/mcp-core";

/** Something that takes time, and the server or tool it is for. */
export interface Activity {
  /** The server or tool. */
  readonly name: string;
  /** What is being done, for people. */
  readonly what: string;
  /** Epoch milliseconds. */
  readonly beganAt: number;
  /** Epoch milliseconds; missing until it ends. */
  readonly endedAt?: number | undefined;
  /** Whether it ended with an error. */
  readonly hasFailed?: boolean | undefined;
}

/** What a command is doing, and has done. */
export interface Activities {
  during<T>(name: string, what: string, work: () => Promise<T>): Promise<T>;
  /** In the order in which they began. */
  all(): readonly Activity[];
}

export function createActivities(now: () => number = Date.now): Activities {
  const known: { -readonly [Key in keyof Activity]: Activity[Key] }[] = [];
  return {
    async during(name, what, work) {
      const activity: (typeof known)[number] = { name, what, beganAt: now() };
      known.push(activity);
      try {
        return await work();
      } catch (error) {
        activity.hasFailed = true;
        throw error;
      } finally {
        activity.endedAt = now();
      }
    },
    all: () => known,
  };
}

/** The same connector; each attempt is recorded. */
export function watchConnector(connect: Connector, activities: Activities): Connector {
  return (server, options) => activities.during(server.name, "connecting", () => connect(server, options));
}
