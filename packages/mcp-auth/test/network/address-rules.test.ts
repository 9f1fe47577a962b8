import { expect, test } from "vitest";
import { type AddressKind, addressKind, isForbiddenAddress } from "../../src/network/address-rules.ts";

const ADDRESSES: { readonly [kind in AddressKind]: readonly string[] } = {
  public: [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "2400:cb00::1",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "64:ff9b::8.8.8.8",
    "64:ff9b::808:808",
    "0064:ff9b:0000:0000:0000:0000:0808:0808",
  ],
  loopback: [
    "127.0.0.1",
    "127.0.0.0",
    "127.1.2.3",
    "127.255.255.255",
    "::1",
    "0:0:0:0:0:0:0:1",
    "0000:0000:0000:0000:0000:0000:0000:0001",
    "::1%lo",
    "::0.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "0:0:0:0:0:ffff:127.0.0.1",
  ],
  private: [
    "10.0.0.0",
    "10.255.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "100.100.100.200",
    "fc00::",
    "fd00:ec2::254",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "::ffff:10.0.0.1",
    "::ffff:c0a8:1",
  ],
  special: [
    "0.0.0.0",
    "0.255.255.255",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::2",
    "::127.0.0.2",
    "::a9fe:a9fe",
    "::ffff:0.0.0.0",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::ffff:0:127.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b::",
    "64:ff9b:1::1",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  ],
};

const CASES = Object.entries(ADDRESSES).flatMap(([kind, addresses]) =>
  addresses.map((address) => [address, kind] as const),
);

test.each(CASES)("[T27] %s is %s", (address, kind) => {
  expect(addressKind(address)).toBe(kind);
  expect(isForbiddenAddress(address)).toBe(kind !== "public");
});

test.each([
  "",
  "localhost",
  "example.com",
  "0x7f.1",
  "2130706433",
  "0177.0.0.1",
  "127.1",
  "[::1]",
  "1.1.1.1 ",
  "1.1.1.1.",
  ":::1",
])("[T27] what is no address is forbidden: '%s'", (text) => {
  expect(addressKind(text)).toBe("special");
  expect(isForbiddenAddress(text)).toBe(true);
});

test("[T27] every IPv4 address has the same fate when it is written as an IPv6 address", () => {
  for (const [address] of CASES.filter(([address]) => !address.includes(":"))) {
    expect(addressKind(`::ffff:${address}`), address).toBe(addressKind(address));
    expect(isForbiddenAddress(`64:ff9b::${address}`), address).toBe(isForbiddenAddress(address));
  }
});
