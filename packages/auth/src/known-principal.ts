import { QuireError } from '@quire/core';
import type { Principal, Role } from './principal.ts';

/** A principal as the settings have it: at most one kind of token and one kind of password. */
export interface PrincipalSettings {
  readonly name: string;
  readonly role: Role;
  readonly tokenSha256: string | undefined;
  readonly tokenFile: string | undefined;
  readonly tokenEnv: string | undefined;
  readonly passwordScrypt: string | undefined;
  readonly passwordFile: string | undefined;
  readonly passwordEnv: string | undefined;
}

/** A principal with what its credentials are checked against; nothing in it is a credential. */
export interface KnownPrincipal extends Principal {
  readonly tokenDigest: Uint8Array | undefined;
}

export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
}

/** @throws INVALID_SETTING */
export function parsePrincipals(
  _settings: readonly PrincipalSettings[],
  _sources: SecretSources,
): Promise<readonly KnownPrincipal[]> {
  throw new QuireError('INTERNAL', 'parsePrincipals is not written yet.');
}
