import { BlockList, isIP } from 'node:net';
import { QuireError } from '@quire/core';
import { digestsEqual, sha256 } from './digest.ts';
import type { KnownPrincipal } from './known-principal.ts';

/** The digests of the public tokens in config/quickstart.properties. */
const quickstartDigests = ['quickstart-admin', 'quickstart-analyst'].map(sha256);

/**
 * Reports whether a principal uses one of the quickstart's tokens, as its token or as its plain
 * text password.
 */
export function usesQuickstartTokens(principals: readonly KnownPrincipal[]): boolean {
  return principals.some(({ tokenDigest, passwordDigest }) =>
    quickstartDigests.some(
      (digest) => digestsEqual(digest, tokenDigest) || digestsEqual(digest, passwordDigest),
    ),
  );
}

/**
 * Restricts a server with the quickstart's tokens to this machine.
 *
 * @throws INVALID_SETTING when a principal has such a token and `host` is neither a loopback
 *   address nor `localhost`
 */
export function assertSafeBind(host: string, principals: readonly KnownPrincipal[]): void {
  if (isLoopback(host) || !usesQuickstartTokens(principals)) return;
  throw new QuireError(
    'INVALID_SETTING',
    `engine.bind.host = ${host}: expected a loopback address such as 127.0.0.1, because a principal has a quickstart token, ` +
      'which is public. Give every principal its own token to listen elsewhere.',
  );
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Reports whether only this machine reaches an address: a loopback address or `localhost`. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
