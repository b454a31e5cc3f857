import { QuireError, type Random } from '@quire/core';

/** A salted hash of a password, as `engine.auth.principal.<name>.password.scrypt` takes it. */
export function hashPassword(_password: string, _options?: { readonly random?: Random }): Promise<string> {
  throw new QuireError('INTERNAL', 'hashPassword is not written yet.');
}

/** The SHA-256 of a token in hexadecimal, as `engine.auth.principal.<name>.token.sha256` takes it. */
export function hashToken(_token: string): string {
  throw new QuireError('INTERNAL', 'hashToken is not written yet.');
}
