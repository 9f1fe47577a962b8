import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { StrayOutput } from "../channel.ts";
import type { MessageCheck } from "../message-check.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { createStrayLines } from "./stray-lines.ts";
import { parseLine } from "./wire-line.ts";

/** Reads messages from what a process writes to its standard output. */
export interface MessageReader {
  /** @throws ChannelFault `message-too-large`; nothing may be pushed after that. */
  push(chunk: Buffer): void;
  /** What it read besides messages. */
  stray(): StrayOutput | undefined;
}

export interface MessageReaderOptions {
  /** `0` means no limit. */
  readonly maxMessageBytes: number;
  readonly check: MessageCheck;
  onMessage(message: JSONRPCMessage): void;
  /** A message could not be dealt with: the next one comes all the same. */
  onError(error: Error): void;
  /** Hears of the first line that is no message. */
  onStrayOutput(line: string): void;
}

/** Whatever else stands on standard output is counted and skipped. */
export function createMessageReader(options: MessageReaderOptions): MessageReader {
  const { maxMessageBytes, check, onMessage, onError, onStrayOutput } = options;
  const strays = createStrayLines(onStrayOutput);

  const deliver = (message: JSONRPCMessage) => {
    try {
      onMessage(message);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const lines = createLineSplitter(maxMessageBytes, (line) => {
    const { messages, isStray } = parseLine(line);
    let hasStray = isStray;
    for (const message of messages) {
      const checked = check(message);
      if (checked) deliver(checked);
      else hasStray = true;
    }
    if (hasStray) strays.add(line);
  });

  return { push: (chunk) => lines.push(chunk), stray: () => strays.summary() };
}
