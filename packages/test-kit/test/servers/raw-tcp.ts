import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEnd } from "../cleanup.ts";

/** One end of a connection, and what has come to it. */
export interface RawEnd {
  readonly socket: Socket;
  readonly text: string;
  /** The code of the error that ended it, `end` for an orderly end. */
  readonly ending: Promise<string>;
  /** Resolves when this text has arrived, and perhaps more; throws if the received text begins differently or ends before. */
  received(text: string): Promise<void>;
}

/** A server that records its connections and does nothing with them. */
export interface RawServer {
  readonly url: string;
  readonly accepted: readonly RawEnd[];
  /** Resolves with the next connection that it has not returned before. */
  next(): Promise<RawEnd>;
}

/** Starts a server that is gone when the test ends. */
export async function startRawServer(): Promise<RawServer> {
  const accepted: RawEnd[] = [];
  let returned = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(watch(socket));
    server.emit("accepted");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(async () => {
    for (const { socket } of accepted) socket.destroy();
    await once(server.close(), "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?q=1`,
    accepted,
    async next() {
      returned += 1;
      while (accepted.length < returned) await once(server, "accepted");
      return accepted[returned - 1] as RawEnd;
    },
  };
}

/** Connects to a port of this machine. The socket is gone when the test ends. */
export function dial(port: number): RawEnd {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  atEnd(() => void socket.destroy());
  return watch(socket);
}

function watch(socket: Socket): RawEnd {
  let text = "";
  socket.setEncoding("utf8").on("data", (piece) => {
    text += piece;
    socket.emit("more");
  });
  const ending = new Promise<string>((resolve) => {
    socket.on("end", () => resolve("end"));
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  return {
    socket,
    get text() {
      return text;
    },
    ending,
    async received(wanted) {
      while (text.length < wanted.length) {
        const how = await Promise.race([once(socket, "more").then(() => undefined), ending]);
        if (how !== undefined) throw new Error(`"${text}" has come before ${how}, and not "${wanted}".`);
      }
      if (!text.startsWith(wanted)) throw new Error(`"${text}" has come in place of "${wanted}".`);
    },
  };
}
