import { isIP } from 'node:net';
import { httpUrl } from './module-kind.ts';
import type { SettingKind } from './setting-kind.ts';

/** The URLs of servers, separated by commas, without duplicates. */
export const httpUrls: SettingKind<readonly string[]> = listOf(httpUrl.allowed, (text) =>
  httpUrl.parse(text, ''),
);

/** Names of letters, digits, `_` and `-`, separated by commas, without duplicates. */
export const names: SettingKind<readonly string[]> = listOf(
  'a name of letters, digits, _ and -',
  (text) => (/^[\w-]{1,64}$/.test(text) ? text : undefined),
);

/** IP addresses, and networks with a prefix length, separated by commas. */
export const networks: SettingKind<readonly string[]> = listOf(
  'an address such as 10.0.0.1 or a network such as 10.0.0.0/8',
  parseNetwork,
);

function parseNetwork(text: string): string | undefined {
  const [address = '', prefix, more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return bits >= 0 && isPrefix && more === undefined ? text : undefined;
}

/** Returns a list of at least one of a few words, separated by commas, without duplicates. */
export function choices<const Word extends string>(
  ...words: readonly Word[]
): SettingKind<readonly Word[]> {
  return listOf(`one of ${words.join(', ')}`, (text) => words.find((word) => word === text));
}

/**
 * Kafka brokers, as `host:port`, `host:*` for any port of a host, or `*` for all, separated by
 * commas, without duplicates.
 */
export const brokerPatterns: SettingKind<readonly string[]> = listOf(
  'host:port, host:* or *',
  (text) => (/^(?:\*|(?:[\w.-]+|\[[\da-fA-F:.]+\]):(?:\*|\d{1,5}))$/.test(text) ? text : undefined),
);

function listOf<Element extends string>(
  allowed: string,
  parse: (text: string) => Element | undefined,
): SettingKind<readonly Element[]> {
  return {
    allowed: `a list separated by commas, each element ${allowed}`,
    parse: (text) => {
      const elements = text.split(',').map((element) => parse(element.trim()));
      const known = elements.filter((element) => element !== undefined);
      return known.length === elements.length && new Set(known).size === known.length
        ? known
        : undefined;
    },
    format: (elements) => elements.join(','),
  };
}
