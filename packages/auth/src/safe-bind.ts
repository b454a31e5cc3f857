import { BlockList, isIP } from 'node:net';
import { QuireError } from '@quire/core';
import { digestsEqual, sha256 } from './digest.ts';
import type { KnownPrincipal } from './known-principal.ts';

/** The tokens of config/quickstart.properties, which everybody knows. */
const quickstartDigests = ['quickstart-admin', 'quickstart-analyst'].map(sha256);

/**
 * Tells whether a principal has one of the quickstart's tokens, as its token or as its password in
 * the clear.
 */
export function usesQuickstartTokens(principals: readonly KnownPrincipal[]): boolean {
  return principals.some(({ tokenDigest, passwordDigest }) =>
    quickstartDigests.some(
      (digest) => digestsEqual(digest, tokenDigest) || digestsEqual(digest, passwordDigest),
    ),
  );
}

/**
 * Holds a server with the quickstart's tokens to this machine.
 *
 * @throws INVALID_SETTING when a principal has such a token and `host` is anything but a loopback
 * address or `localhost`
 */
export function assertSafeBind(host: string, principals: readonly KnownPrincipal[]): void {
  if (isLoopback(host) || !usesQuickstartTokens(principals)) return;
  throw new QuireError(
    'INVALID_SETTING',
    `engine.bind.host = ${host}: expected a loopback address such as 127.0.0.1, because a principal has a quickstart token, ` +
      'which everybody knows. Give every principal a token of its own to listen elsewhere.',
  );
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Tells whether only this machine reaches an address: a loopback address or `localhost`. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
