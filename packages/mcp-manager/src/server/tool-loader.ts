import { type Listing, type McpError, type Session, toMcpError } from "@jackfield/mcp-core";

export type ToolsState =
  | { readonly status: "none" }
  | { readonly status: "loading" }
  | { readonly status: "live" }
  | { readonly status: "failed"; readonly error: McpError };

export interface ToolLoaderOptions {
  readonly server: string;
  /** Lists once, within a deadline of its own. */
  readonly list: (session: Session) => Promise<Listing<"tools">>;
  readonly loaded: (session: Session, listing: Listing<"tools">) => void;
  readonly failed: (error: McpError) => void;
}

interface Load {
  readonly session: Session;
  again: boolean;
  done: Promise<void>;
}

/**
 * Keeps one server's tool list up to date. Requests that arrive while a list is under way share it and are followed by one
 * more, so a burst of changes costs two lists; an answer from a session that was replaced meanwhile is thrown away ([L19], [L20]).
 */
export interface ToolLoader {
  readonly state: ToolsState;
  /** Resolves when the list is in, or has failed: the state tells which. */
  load(session: Session): Promise<void>;
  /** Like `load`, but is content with a list that is in or under way. */
  settle(session: Session): Promise<void>;
  /** The session is gone: whatever is under way no longer counts. */
  reset(): void;
}

export function createToolLoader(options: ToolLoaderOptions): ToolLoader {
  let state: ToolsState = { status: "none" };
  let current: Load | undefined;

  async function run(load: Load): Promise<void> {
    do {
      load.again = false;
      try {
        const listing = await listWithOneRetry(load.session);
        if (current !== load) return;
        state = { status: "live" };
        options.loaded(load.session, listing);
      } catch (thrown) {
        if (current !== load) return;
        const message = `The tools of server "${options.server}" could not be listed.`;
        state = {
          status: "failed",
          error: toMcpError(thrown, "MCP_INTERNAL", message, { server: options.server }),
        };
        options.failed(state.error);
      }
    } while (load.again && current === load);
    if (current === load) current = undefined;
  }

  /** A server that has just started may stumble once ([S12]); a session that is gone will not answer the second time either. */
  async function listWithOneRetry(session: Session): Promise<Listing<"tools">> {
    try {
      return await options.list(session);
    } catch (error) {
      if (current?.session !== session) throw error;
      return await options.list(session);
    }
  }

  function load(session: Session): Promise<void> {
    if (current?.session === session) {
      current.again = true;
      return current.done;
    }
    const started: Load = { session, again: false, done: Promise.resolve() };
    current = started;
    if (state.status !== "live") state = { status: "loading" };
    started.done = run(started);
    return started.done;
  }

  return {
    get state() {
      return state;
    },
    load,
    settle(session) {
      if (current?.session === session) return current.done;
      return state.status === "live" ? Promise.resolve() : load(session);
    },
    reset() {
      current = undefined;
      state = { status: "none" };
    },
  };
}
