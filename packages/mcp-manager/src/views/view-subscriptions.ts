import { McpError, type ResourceSubscription } from "@jackfield/mcp-core";

/** The subscriptions that were made through a view: they end with it. */
export interface ViewSubscriptions {
  /** @throws McpError `MCP_CLOSED` if the view was closed meanwhile; then the subscription has been ended. */
  add(subscription: ResourceSubscription): Promise<ResourceSubscription>;
  /** Ends all of them: listeners are removed at once, servers are unsubscribed when this resolves. */
  close(): Promise<void>;
}

export function createViewSubscriptions(): ViewSubscriptions {
  const open = new Set<ResourceSubscription>();
  let isClosed = false;
  return {
    async add(subscription) {
      if (isClosed) {
        await subscription.close();
        const { server, uri } = subscription;
        throw new McpError("MCP_CLOSED", `The view was closed; "${uri}" is not watched any more.`, {
          server,
        });
      }
      open.add(subscription);
      const close = async () => {
        open.delete(subscription);
        await subscription.close();
      };
      const { server, uri } = subscription;
      return { server, uri, close, [Symbol.asyncDispose]: close };
    },
    async close() {
      isClosed = true;
      await Promise.all([...open].map((subscription) => subscription.close()));
    },
  };
}
