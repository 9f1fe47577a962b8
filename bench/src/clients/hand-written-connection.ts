/** JSON-RPC with one server. Results are not checked. */
export interface Connection {
  request(method: string, params: object): Promise<unknown>;
  notify(method: string): Promise<void>;
  close(): Promise<void>;
}

/** A JSON-RPC message as far as a connection looks at it. */
export interface ReceivedMessage {
  readonly id?: number | undefined;
  readonly result?: unknown;
  readonly error?: { readonly message: string } | undefined;
}

/** The result of a request. Throws the server's error. */
export function unwrap({ result, error }: ReceivedMessage): unknown {
  if (error !== undefined) throw new Error(error.message);
  return result;
}
