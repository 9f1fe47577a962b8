/** The variables of each protocol, by precedence. Of two spellings, the first that is set counts, even if it is empty. */
const VARIABLES: { readonly [protocol: string]: readonly (readonly string[])[] } = {
  "http:": [["http_proxy", "HTTP_PROXY"]],
  "https:": [
    ["https_proxy", "HTTPS_PROXY"],
    ["http_proxy", "HTTP_PROXY"],
  ],
};

const PROXY_PROTOCOLS = new Set(["http:", "https:", "socks5:", "socks:"]);
const DEFAULT_PORTS: { readonly [protocol: string]: string } = { "http:": "80", "https:": "443" };

/** This machine as the URL standard spells it: `localhost`, 127.0.0.0/8, `::1`, the unspecified addresses, and IPv4 written as IPv6. */
const THIS_MACHINE =
  /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])$/;

/** The proxy on the way to an origin. */
export interface ProxyChoice {
  /** Its address; missing if the origin is reached directly. */
  readonly proxy?: string | undefined;
  /** The variable that should name the proxy, if its value cannot be used; nothing may then be sent. */
  readonly invalidVariable?: string | undefined;
}

/**
 * The proxy that the environment names for an origin. An address without a scheme is one of `http:`, as in curl. There is none for
 * this machine: a proxy elsewhere could not reach it, and should not learn what runs here.
 */
export function chooseProxy(origin: string, environment: NodeJS.ProcessEnv): ProxyChoice {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/(?<=.)\.$/, "");
  if (THIS_MACHINE.test(host)) return {};
  const variable = VARIABLES[protocol]
    ?.map((names) => names.find((name) => environment[name] !== undefined))
    .find((name) => name !== undefined && environment[name]?.trim());
  if (variable === undefined) return {};
  const exceptions = environment.no_proxy ?? environment.NO_PROXY ?? "";
  if (isExcepted(host, port || DEFAULT_PORTS[protocol], exceptions)) return {};
  const proxy = readProxy(environment[variable]?.trim() ?? "");
  return proxy === undefined ? { invalidVariable: variable } : { proxy };
}

/**
 * The certificate authorities of a connection, as PEM: those that Node trusts by default and the host's own besides. `node:tls` is loaded
 * on demand: that takes longer than starting a local server's process, and few servers have their own authority.
 */
export function authoritiesWith(own: string | readonly string[]): string[] {
  return [...process.getBuiltinModule("node:tls").getCACertificates("default"), ...[own].flat()];
}

function readProxy(text: string): string | undefined {
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.hostname || !PROXY_PROTOCOLS.has(url.protocol)) return undefined;
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return undefined;
  }
  return url.href;
}

/**
 * Whether `NO_PROXY` lists a host: by name, parent domain or `*`, each perhaps with a port, or by the network that its address is in
 * (`10.0.0.0/8`), as curl and Go read it. `*.domain` matches only its subdomains.
 */
function isExcepted(hostname: string, port: string | undefined, exceptions: string): boolean {
  const host = unbracketed(hostname).toLowerCase();
  return exceptions.split(/[,\s]+/).some((entry) => {
    if (entry.includes("/")) return isInNetwork(host, entry);
    const [, named = "", onlyPort] = /^(\[.+\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [undefined, entry];
    if (named === "" || (onlyPort !== undefined && onlyPort !== port)) return false;
    if (named === "*") return true;
    const domain = unbracketed(named.replace(/^\*?\./, "").replace(/(?<=.)\.$/, "")).toLowerCase();
    return (!named.startsWith("*") && host === domain) || host.endsWith(`.${domain}`);
  });
}

function unbracketed(host: string): string {
  return host.replace(/^\[(.+)\]$/, "$1");
}

function isInNetwork(host: string, entry: string): boolean {
  const { BlockList, isIP } = process.getBuiltinModule("node:net");
  const [address = "", bits = ""] = entry.split("/").map(unbracketed);
  const version = isIP(address);
  if (version === 0 || version !== isIP(host) || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const network = new BlockList();
  network.addSubnet(address, Number(bits), family);
  return network.check(host, family);
}
