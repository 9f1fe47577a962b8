import { checkOptions, type OptionKind, optionKinds } from "@jackfield/mcp-core";
import { loginError, secretsOfClient } from "./errors.ts";
import { watchAnswers } from "./flow/answers.ts";
import { readAuthorityMetadata } from "./flow/authority.ts";
import type { AssertionRequest, MakeAssertion } from "./oauth-options.ts";
import { loadSdk } from "./sdk.ts";

/** Options of `crossAppAccess`. */
export interface CrossAppAccessOptions {
  /** The issuer of the company's identity provider; its token endpoint is discovered. */
  readonly identityProvider: string;
  /** This program as the identity provider knows it. */
  readonly clientId: string;
  /** Default: none, for a public client. */
  readonly clientSecret?: string | undefined;
  /** Returns the ID token with which the user has logged in to the identity provider. */
  readonly idToken: (request: AssertionRequest) => string | Promise<string>;
}

const { callable, name, text } = optionKinds;
const OPTIONS: Record<keyof CrossAppAccessOptions, OptionKind> = {
  identityProvider: name,
  clientId: name,
  clientSecret: text,
  idToken: callable,
};

/**
 * Cross-app access (enterprise-managed authorization, SEP-990): the identity provider of a company vouches for its user, who is asked by
 * no MCP server. The result is the `assertion` of an entry's settings, for which the entry's client gets tokens.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist or is of another type
 */
export function crossAppAccess(options: CrossAppAccessOptions): MakeAssertion {
  checkOptions(options, OPTIONS);
  const { identityProvider, clientId, clientSecret, idToken } = options;
  return async (request) => {
    const { server, issuer: audience, resource, scope } = request;
    const sdk = await loadSdk();
    const token = await idToken(request);
    const { fetch, answers } = watchAnswers(request.fetch);
    const place = { sdk, fetch, server, url: identityProvider, isForProgram: true };
    const { token_endpoint: tokenEndpoint } = await readAuthorityMetadata(place);
    const asking = { tokenEndpoint, audience, resource, idToken: token, clientId, fetchFn: fetch };
    try {
      const { jwtAuthGrant } = await sdk.requestJwtAuthorizationGrant({
        ...asking,
        ...(clientSecret === undefined ? {} : { clientSecret }),
        ...(scope === undefined ? {} : { scope }),
      });
      return jwtAuthGrant;
    } catch (error) {
      const secrets = [token, ...secretsOfClient({ client_id: clientId, client_secret: clientSecret })];
      const step = { server, doing: "token request", endpoint: tokenEndpoint, secrets } as const;
      throw loginError(sdk, error, { ...step, answer: answers.at(-1) });
    }
  };
}
