import { BlockList, isIP } from "node:net";

/**
 * Where an address leads. `public`: to the internet. `loopback`: to this machine. `private`: to a private network, such as that of
 * a company, a home or a VPN. `special`: anything else, including the metadata services of cloud providers.
 */
export type AddressKind = "public" | "loopback" | "private" | "special";

/** Subnets by purpose, from the IANA special-purpose registries for IPv4 and IPv6 as of 2026. */
const LOOPBACK = subnets(["127.0.0.0/8"]);
const PRIVATE = subnets(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"]);
const SPECIAL = subnets([
  "0.0.0.0/8", // this host, which some systems take for loopback
  "169.254.0.0/16", // link-local, with the metadata services of most clouds
  "168.63.129.16/32", // Azure's metadata service, at an address that looks public
  "100.100.100.200/32", // Alibaba Cloud's; this and the next three look private
  "fd00:ec2::254/128", // AWS's for IPv6
  "fd00:ec2::23/128", // AWS's container credentials (EKS Pod Identity)
  "fd20:ce::254/128", // Google Cloud's for IPv6
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** The only IPv6 range that counts as public, so that ranges assigned later do not. */
const GLOBAL_UNICAST = subnets(["2000::/3"]);
const UNIQUE_LOCAL = subnets(["fc00::/7"]);
const SPECIAL_GLOBAL = subnets([
  "2001::/23", // protocol assignments, with Teredo, which hides an IPv4 address
  "2001:db8::/32",
  "2002::/16", // 6to4, which hides an IPv4 address
  "2620:4f:8000::/48",
  "3fff::/20",
]);

/** Both carry an IPv4 address in their last 32 bits, which this machine or a translator in the network dials. */
const MAPPED = subnets(["::ffff:0:0/96"]);
const NAT64 = subnets(["64:ff9b::/96"]);

/** Where an address leads, in any spelling that `net.isIP` accepts. Text that is not an address is `special`. */
export function addressKind(address: string): AddressKind {
  const [plain = ""] = address.split("%", 1); // a zone names the interface, not the destination
  const family = isIP(plain);
  if (family === 4) return kindOfIpv4(plain);
  return family === 6 ? kindOfIpv6(plain) : "special";
}

function kindOfIpv4(address: string): AddressKind {
  if (LOOPBACK.check(address, "ipv4")) return "loopback";
  if (SPECIAL.check(address, "ipv4")) return "special";
  return PRIVATE.check(address, "ipv4") ? "private" : "public";
}

function kindOfIpv6(address: string): AddressKind {
  if (MAPPED.check(address, "ipv6")) return kindOfIpv4(lastIpv4(address));
  // The NAT64 prefix must not carry a non-public IPv4 address (RFC 6052, section 3.1).
  if (NAT64.check(address, "ipv6")) return kindOfIpv4(lastIpv4(address)) === "public" ? "public" : "special";
  const groups = groupsOf(address);
  if (groups.every((group, index) => group === (index === 7 ? 1 : 0))) return "loopback";
  if (SPECIAL.check(address, "ipv6")) return "special";
  if (UNIQUE_LOCAL.check(address, "ipv6")) return "private";
  const isPublic = GLOBAL_UNICAST.check(address, "ipv6") && !SPECIAL_GLOBAL.check(address, "ipv6");
  return isPublic ? "public" : "special";
}

/** The IPv4 address in the last 32 bits. */
function lastIpv4(address: string): string {
  const [high = 0, low = 0] = groupsOf(address).slice(-2);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** The eight groups of a valid IPv6 address. The URL standard writes them all in hexadecimal, a dotted ending included. */
function groupsOf(address: string): number[] {
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = written.split("::").map((part) => part.split(":").filter(Boolean));
  const before = [...head];
  const after = [...(tail ?? [])];
  const zeros = new Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function subnets(written: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of written) {
    const [network = "", bits = ""] = subnet.split("/");
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
