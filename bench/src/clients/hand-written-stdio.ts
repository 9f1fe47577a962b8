import { type Connection, type ReceivedMessage, unwrap } from "./hand-written-connection.ts";

/** Newline-delimited JSON with a child process. What is written in one turn of the event loop goes out in one write. */
export async function connectStdio(command: string, args: readonly string[]): Promise<Connection> {
  const { spawn } = await import("node:child_process");
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let unsent = "";
  let parts: string[] = []; // of a message that has not come to its end: joined once, however many chunks it has

  const write = (message: object): void => {
    if (unsent === "") queueMicrotask(flush);
    unsent += `${JSON.stringify(message)}\n`;
  };
  const flush = (): void => {
    child.stdin.write(unsent);
    unsent = "";
  };
  child.stdin.on("error", () => {}); // the end of the process tells
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    parts.push(chunk);
    if (!chunk.includes("\n")) return;
    const lines = parts.join("").split("\n");
    parts = [lines.pop() ?? ""];
    for (const line of lines) settle(pending, JSON.parse(line) as ReceivedMessage);
  });
  const failAll = (): void => {
    for (const { reject } of pending.values()) reject(new Error(`${command} ended.`));
    pending.clear();
  };
  void ended.then(failAll);

  return {
    request(method, params) {
      const id = ++lastId;
      const answered = Promise.withResolvers<unknown>();
      pending.set(id, answered);
      write({ jsonrpc: "2.0", id, method, params });
      return answered.promise;
    },
    notify: async (method) => write({ jsonrpc: "2.0", method }),
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

function settle(pending: Map<number, PromiseWithResolvers<unknown>>, message: ReceivedMessage): void {
  const answered = pending.get(message.id as number);
  pending.delete(message.id as number);
  try {
    answered?.resolve(unwrap(message));
  } catch (error) {
    answered?.reject(error);
  }
}
