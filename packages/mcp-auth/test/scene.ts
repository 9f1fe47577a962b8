import type { LogLevel, ResolvedRemoteServer } from "@jackfield/mcp-core";
import {
  type AuthorizationBehavior,
  type AuthorizationServer,
  type ProtectedServer,
  type ProtectedServerOptions,
  startAuthorizationServer,
  startProtectedServer,
} from "@jackfield/test-kit";
import {
  createMemoryVault,
  createOAuth,
  type OAuth,
  type OAuthOptions,
  type TokenVault,
} from "../src/index.ts";
import { remoteServer } from "./request.ts";

/** A server that wants a login, the authorization server that gives it, and OAuth between them. */
export interface Scene extends AsyncDisposable {
  readonly authority: AuthorizationServer;
  readonly guarded: ProtectedServer;
  readonly vault: TokenVault;
  readonly oauth: OAuth;
  readonly server: ResolvedRemoteServer;
  /** The pages that a person was shown. */
  readonly pages: readonly URL[];
  readonly said: readonly { readonly level: LogLevel; readonly message: string; readonly fields: unknown }[];
  readonly clock: { now: number };
  /** Resolves when something is written into the vault from now on. */
  nextWrite(): Promise<void>;
  /** Another OAuth on the same vault, as a later run has it. */
  again(options?: Partial<OAuthOptions>): OAuth;
  /** Guards the server in another way, by the same authorization server unless another is named. */
  guard(options: Partial<ProtectedServerOptions>): void;
}

export interface SceneOptions {
  readonly behavior?: AuthorizationBehavior | undefined;
  readonly guard?: Partial<ProtectedServerOptions> | undefined;
  readonly oauth?: Partial<OAuthOptions> | undefined;
  /** Nobody can be asked to log in. */
  readonly isUnattended?: boolean | undefined;
}

export async function openScene({ behavior, guard, oauth, isUnattended }: SceneOptions = {}): Promise<Scene> {
  const authority = await startAuthorizationServer(behavior);
  const guarded = await startProtectedServer({ authorizationServer: authority, ...guard });
  const given = oauth?.vault ?? createMemoryVault();
  let waiting: (() => void)[] = [];
  const vault: TokenVault = {
    forServer: (...args) => given.forServer(...args),
    delete: (...args) => given.delete(...args),
    exclusively: (...args) => given.exclusively(...args),
    list: () => given.list(),
    async write(credential) {
      await given.write(credential);
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
  const pages: URL[] = [];
  const said: Scene["said"][number][] = [];
  const clock = { now: 1_800_000_000_000 };
  const opened: OAuth[] = [];
  const again = (options: Partial<OAuthOptions> = {}) => {
    const made = createOAuth({
      now: () => clock.now,
      log: (level, message, fields) => said.push({ level, message, fields }),
      ...(isUnattended ? {} : { authorize: async (url) => visit(url, pages) }),
      ...oauth,
      ...options,
      vault,
    });
    opened.push(made);
    return made;
  };
  return {
    authority,
    guarded,
    vault,
    oauth: again(),
    server: remoteServer(guarded.url),
    pages,
    said,
    clock,
    nextWrite: () => new Promise((resolve) => waiting.push(resolve)),
    again,
    guard: (options) => guarded.guard({ authorizationServer: authority, ...options }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened, guarded, authority].map((thing) => thing.close()));
    },
  };
}

/** A person who agrees to everything: the browser follows where it is sent. */
export async function visit(url: URL, pages: URL[]): Promise<void> {
  pages.push(url);
  await fetch(url);
}
