import type { Random } from '@quire/core';
import type { AuthorizationProvider } from './authorization-provider.ts';
import { sha256 } from './digest.ts';
import type { KnownPrincipal } from './known-principal.ts';
import type { Role } from './principal.ts';

/** A principal of this process only, and the Authorization with which its parts call each other. */
export interface ProcessPrincipal extends AuthorizationProvider {
  readonly principal: KnownPrincipal;
}

/**
 * Creates a principal for parts of this process that call each other over HTTP. Its token is
 * random, is never stored and ends with the process. `name` should be one that settings cannot
 * contain.
 */
export function createProcessPrincipal(name: string, role: Role, random: Random): ProcessPrincipal {
  const token = Buffer.from(random.bytes(32)).toString('base64url');
  const principal = {
    name,
    role,
    tokenDigest: sha256(token),
    passwordDigest: undefined,
    passwordHash: undefined,
  };
  return { principal, authorization: async () => `Bearer ${token}` };
}
