import { isIPv4, isIPv6 } from 'node:net';
import { boolean, define, type FunctionDefinition, int, text } from './function-definition.ts';
import { expressionFailed } from '../values/expression-error.ts';

interface Address {
  readonly value: bigint;
  /** The length of the address in bits: 32 or 128. */
  readonly bits: number;
  /** The prefix length, if it is a subnet. */
  readonly prefix: number | undefined;
}

export const networkFunctions: readonly FunctionDefinition[] = [
  define(
    'isSubnetOf',
    [text, text],
    boolean,
    isSubnetOf,
    'Whether a subnet contains an address.',
    "isSubnetOf('192.168.0.0/16', '192.168.1.1')",
  ),
  define(
    'ipPrefix',
    [text, int],
    text,
    ipPrefix,
    'The subnet with a prefix of n bits that contains an address.',
    "ipPrefix('10.1.2.3', 24)",
  ),
  define(
    'ipSubnetMin',
    [text],
    text,
    (subnet) => writeAddress(rangeOf(parseSubnet(subnet))[0], parseSubnet(subnet).bits),
    'The first address of a subnet.',
    "ipSubnetMin('10.1.2.3/24')",
  ),
  define(
    'ipSubnetMax',
    [text],
    text,
    (subnet) => writeAddress(rangeOf(parseSubnet(subnet))[1], parseSubnet(subnet).bits),
    'The last address of a subnet.',
    "ipSubnetMax('10.1.2.3/24')",
  ),
];

function isSubnetOf(subnet: string, address: string): boolean {
  const outer = parseSubnet(subnet);
  const inner = parseSingle(address);
  const [first, last] = rangeOf(outer);
  return outer.bits === inner.bits && inner.value >= first && inner.value <= last;
}

function ipPrefix(address: string, prefix: number): string {
  const single = parseSingle(address);
  if (prefix < 0 || prefix > single.bits) {
    throw expressionFailed(`A subnet of ${address} has 0 to ${single.bits} bits, not ${prefix}.`);
  }
  return `${writeAddress(rangeOf({ ...single, prefix })[0], single.bits)}/${prefix}`;
}

function parseSubnet(text: string): Address {
  const address = parseAddress(text);
  if (address.prefix === undefined) {
    throw expressionFailed(
      `‘${text.slice(0, 60)}’ is not a subnet: expected 192.168.0.0/16 or 2001:db8::/32.`,
    );
  }
  return address;
}

function parseSingle(text: string): Address {
  const address = parseAddress(text);
  if (address.prefix !== undefined) {
    throw expressionFailed(`‘${text.slice(0, 60)}’ is a subnet; expected a single address.`);
  }
  return address;
}

function parseAddress(text: string): Address {
  const [, written = '', prefixText] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = isIPv4(written) ? 32 : isIPv6(written) ? 128 : 0;
  const prefix = prefixText === undefined ? undefined : Number(prefixText);
  if (bits === 0 || (prefix ?? 0) > bits) {
    throw expressionFailed(`‘${text.slice(0, 60)}’ is not an IP address.`);
  }
  return {
    value:
      bits === 32 ? valueOf(written.split('.'), 256n, 10) : valueOf(groupsOf(written), 65_536n, 16),
    bits,
    prefix,
  };
}

function valueOf(parts: readonly string[], base: bigint, radix: number): bigint {
  return parts.reduce((value, part) => value * base + BigInt(Number.parseInt(part, radix)), 0n);
}

/** Returns the eight groups of an IPv6 address, however it is abbreviated. */
function groupsOf(written: string): readonly string[] {
  const plain = written.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a: string, b: string, c: string, d: string) => {
      return `${(Number(a) * 256 + Number(b)).toString(16)}:${(Number(c) * 256 + Number(d)).toString(16)}`;
    },
  );
  const [head = '', tail] = plain.split('::');
  const [before, behind] = [head, tail ?? ''].map((each) => (each === '' ? [] : each.split(':')));
  const missing = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (behind?.length ?? 0);
  return [...(before ?? []), ...Array.from({ length: missing }, () => '0'), ...(behind ?? [])];
}

function rangeOf({ value, bits, prefix = bits }: Address): readonly [bigint, bigint] {
  const size = 1n << BigInt(bits - prefix);
  const first = (value / size) * size;
  return [first, first + size - 1n];
}

/** Writes an address in the canonical form of RFC 5952: the longest run of zeros is left out. */
function writeAddress(value: bigint, bits: number): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - index * 16)) & 65_535n).toString(16),
  ).join(':');
  const runs = groups.match(/(?<![^:])0(?::0)+(?![^:])/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest === '' ? groups : groups.replace(new RegExp(`(^|:)${longest}(:|$)`), '::');
}
