import type { CatalogEntry } from "@jackfield/mcp-core";
import { createServerContext, type ServerContext, type ServerContextOptions } from "./server-context.ts";

/**
 * A context that is made when a session, or somebody who asks, first needs it. Until then it only keeps what the catalog knows, so that
 * a start with very many servers makes none.
 */
export function createLateContext(options: ServerContextOptions): ServerContext {
  let made: ServerContext | undefined;
  let remembered: CatalogEntry | undefined;
  const context = () => {
    if (made === undefined) {
      made = createServerContext(options);
      made.recall(remembered);
    }
    return made;
  };
  return {
    recall(entry) {
      if (made === undefined) remembered = entry ?? remembered;
      else made.recall(entry);
    },
    opened: (session) => context().opened(session),
    load: (session) => context().load(session),
    gone: () => made?.gone(),
    withdraw: () => context().withdraw(),
    notified: (session, notification) => context().notified(session, notification),
    known: (kind) => context().known(kind),
    listed: (kind, session, deadline) => context().listed(kind, session, deadline),
    subscribe: (...subscription) => context().subscribe(...subscription),
  };
}
