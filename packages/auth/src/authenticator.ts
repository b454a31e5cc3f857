import { QuireError, type Random } from '@quire/core';
import type { KnownPrincipal } from './known-principal.ts';
import type { Principal } from './principal.ts';

/** The value of WWW-Authenticate that goes with every UNAUTHENTICATED. */
export const authenticateChallenge = 'Bearer realm="quire", Basic realm="quire", charset="UTF-8"';

export class Authenticator {
  constructor(_principals: readonly KnownPrincipal[], _options?: { readonly random?: Random }) {
    throw new QuireError('INTERNAL', 'Authenticator is not written yet.');
  }

  /** @throws UNAUTHENTICATED */
  authenticate(_header: string | undefined): Promise<Principal> {
    throw new QuireError('INTERNAL', 'Authenticator is not written yet.');
  }
}
