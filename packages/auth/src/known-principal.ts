import type { Principal, Role } from './principal.ts';
import type { ScryptHash } from './scrypt-hash.ts';

/** A principal with the data that credentials are checked against, which contains no credential. */
export interface KnownPrincipal extends Principal {
  /** SHA-256 of the token. */
  readonly tokenDigest: Uint8Array | undefined;
  /** SHA-256 of a password that was given in plain text; it never leaves the process. */
  readonly passwordDigest: Uint8Array | undefined;
  readonly passwordHash: ScryptHash | undefined;
}

/** A principal in the settings: a token, a password or both, each with one of its settings. */
export interface PrincipalSettings {
  readonly name: string;
  readonly role: Role;
  /** The SHA-256 of the token in hexadecimal. */
  readonly tokenSha256?: string | undefined;
  /** The path of a file with the token. */
  readonly tokenFile?: string | undefined;
  /** The environment variable with the token. */
  readonly tokenEnv?: string | undefined;
  /** `scrypt:N:r:p:salt:hash`, as `hashPassword` returns it. */
  readonly passwordScrypt?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly passwordEnv?: string | undefined;
}

/**
 * Returns a text that changes with any principal; it contains only digests, and is for comparison.
 */
export function identifyPrincipals(principals: readonly KnownPrincipal[]): string {
  const hex = (bytes: Uint8Array | undefined): string =>
    bytes === undefined ? '' : Buffer.from(bytes).toString('hex');
  return principals
    .map(({ name, role, tokenDigest, passwordDigest, passwordHash }) =>
      [
        name,
        role,
        hex(tokenDigest),
        hex(passwordDigest),
        hex(passwordHash?.salt),
        hex(passwordHash?.key),
      ].join(' '),
    )
    .join('\n');
}
