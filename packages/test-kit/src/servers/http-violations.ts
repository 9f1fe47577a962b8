import type { JsonObject } from "@jackfield/mcp-core";
import type { HttpIncoming } from "./http-incoming.ts";
import type { RpcId } from "./rpc-message.ts";

/** Detects violations of the specification by clients of Streamable HTTP. */
export interface HttpViolationWatch {
  /** The violations seen so far, in order. */
  readonly violations: readonly string[];
  see(incoming: HttpIncoming): void;
  /** Records that a version was negotiated. */
  agree(version: string): void;
}

const VERSION_HEADER = "mcp-protocol-version";
const VERSION_FIELD = "io.modelcontextprotocol/protocolVersion";
/** From this version on, a client sends the version with every request. */
const FIRST_VERSION_WITH_HEADER = "2025-06-18";

/** Creates a watch without violations. */
export function createViolationWatch(): HttpViolationWatch {
  return new SpecificationWatch();
}

class SpecificationWatch implements HttpViolationWatch {
  readonly violations: string[] = [];
  readonly #agreedVersions = new Set<string>();
  readonly #initialized = new Set<string | undefined>();
  readonly #usedIds = new Map<string, Set<RpcId>>();

  see(incoming: HttpIncoming): void {
    const { method, headers } = incoming;
    this.#mustAccept(incoming, method === "POST" ? ["application/json", "text/event-stream"] : []);
    this.#mustAccept(incoming, method === "GET" ? ["text/event-stream"] : []);
    if (method === "POST" && !headers["content-type"]?.startsWith("application/json")) {
      this.#add(incoming, `has the content type ${headers["content-type"] ?? "(none)"}`);
    }
    this.#seeVersion(incoming);
    this.#seeOrder(incoming);
  }

  agree(version: string): void {
    this.#agreedVersions.add(version);
  }

  #mustAccept(incoming: HttpIncoming, types: readonly string[]): void {
    const accepted = incoming.headers.accept ?? "";
    for (const type of types) if (!accepted.includes(type)) this.#add(incoming, `does not accept ${type}`);
  }

  #seeVersion(incoming: HttpIncoming): void {
    const version = incoming.headers[VERSION_HEADER]?.toString();
    const { method, params } = incoming.body ?? {};
    const meta = (params?._meta ?? {}) as JsonObject;
    const declaredVersion = meta[VERSION_FIELD];
    if (declaredVersion !== undefined) {
      if (version !== declaredVersion)
        this.#add(incoming, `says version ${declaredVersion} and in its headers ${version}`);
    } else if (method === "initialize") {
      if (version !== undefined) this.#add(incoming, "names a protocol version before one was agreed");
    } else if (version !== undefined && !this.#agreedVersions.has(version)) {
      this.#add(incoming, `names version ${version}, which was not agreed`);
    } else if (version === undefined && this.#isVersionWanted(incoming)) {
      this.#add(incoming, "names no protocol version");
    }
  }

  /** Whether the request must have the version header. A client that may not have read the negotiated version yet is exempt. */
  #isVersionWanted({ session, body }: HttpIncoming): boolean {
    const isInformed = this.#initialized.has(session) || body?.method === "notifications/initialized";
    return isInformed && [...this.#agreedVersions].some((version) => version >= FIRST_VERSION_WITH_HEADER);
  }

  #seeOrder(incoming: HttpIncoming): void {
    const { method, session, body } = incoming;
    if (body?.method === "notifications/initialized") this.#initialized.add(session);
    if (body?.method === "initialize" && session !== undefined) this.#add(incoming, "names a session");
    if (method === "GET" && !this.#initialized.has(session)) this.#add(incoming, "came before the handshake");
    if (session === undefined || body?.method === undefined || body.id === undefined) return;
    const used = this.#usedIds.get(session) ?? new Set();
    this.#usedIds.set(session, used);
    if (used.has(body.id)) this.#add(incoming, `uses the id ${body.id} a second time`);
    used.add(body.id);
  }

  #add({ method, body }: HttpIncoming, what: string): void {
    this.violations.push(`${[method, body?.method].filter(Boolean).join(" ")} ${what}.`);
  }
}
