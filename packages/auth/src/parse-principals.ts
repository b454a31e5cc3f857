import { isQuireError, QuireError } from '@quire/core';
import { digestsEqual, sha256 } from './digest.ts';
import type { KnownPrincipal, PrincipalSettings } from './known-principal.ts';
import { parseScryptHash, scryptHashAllowed } from './scrypt-hash.ts';

/** Readers for the secrets that the settings only reference. */
export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
}

/**
 * Parses the principals and reads their secrets, all or none. Messages name settings but never
 * their values, which may be misplaced tokens.
 *
 * @throws INVALID_SETTING with every problem, one on each line, when there is no principal; when
 *   one has no credential, two of a kind or an unreadable one; or when two share a name or a token
 */
export async function parsePrincipals(
  settings: readonly PrincipalSettings[],
  sources: SecretSources,
): Promise<readonly KnownPrincipal[]> {
  const principals: KnownPrincipal[] = [];
  const problems: string[] = [];
  for (const each of settings) {
    try {
      const principal = await parsePrincipal(each, sources);
      assertDistinct(principal, principals);
      principals.push(principal);
    } catch (error) {
      if (!isQuireError(error, 'INVALID_SETTING')) throw error;
      problems.push(error.message);
    }
  }
  if (settings.length === 0) {
    problems.push(
      'No principal is configured, so every call would be refused: set engine.auth.principal.<name>.role and a credential.',
    );
  }
  if (problems.length > 0) throw new QuireError('INVALID_SETTING', problems.join('\n'));
  return principals;
}

async function parsePrincipal(
  settings: PrincipalSettings,
  sources: SecretSources,
): Promise<KnownPrincipal> {
  const { name, role } = settings;
  const prefix = `engine.auth.principal.${name}`;
  assertOneOf(prefix, 'token', {
    sha256: settings.tokenSha256,
    file: settings.tokenFile,
    env: settings.tokenEnv,
  });
  assertOneOf(prefix, 'password', {
    scrypt: settings.passwordScrypt,
    file: settings.passwordFile,
    env: settings.passwordEnv,
  });
  const tokenDigest = await parseToken(prefix, settings, sources);
  const password = await readSecret(
    `${prefix}.password`,
    settings.passwordFile,
    settings.passwordEnv,
    sources,
  );
  const passwordDigest =
    password === undefined ? undefined : sha256(parsePassword(prefix, password));
  const passwordHash =
    settings.passwordScrypt === undefined ? undefined : parseScryptHash(settings.passwordScrypt);
  if (settings.passwordScrypt !== undefined && passwordHash === undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      `${prefix}.password.scrypt = (secret): expected ${scryptHashAllowed}.`,
    );
  }
  if (tokenDigest === undefined && passwordDigest === undefined && passwordHash === undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      `${prefix} has no credential: set one of its settings token.… or password.….`,
    );
  }
  return { name, role, tokenDigest, passwordDigest, passwordHash };
}

function assertOneOf(
  prefix: string,
  kind: string,
  ways: Readonly<Record<string, string | undefined>>,
): void {
  const given = Object.keys(ways).filter((way) => ways[way] !== undefined);
  if (given.length > 1) {
    const keys = given.map((way) => `${prefix}.${kind}.${way}`).join(' and ');
    throw new QuireError('INVALID_SETTING', `${keys} are both set: expected one of them.`);
  }
}

async function parseToken(
  prefix: string,
  settings: PrincipalSettings,
  sources: SecretSources,
): Promise<Uint8Array | undefined> {
  const { tokenSha256 } = settings;
  if (tokenSha256 !== undefined) {
    if (/^[0-9a-f]{64}$/i.test(tokenSha256)) return Buffer.from(tokenSha256, 'hex');
    throw new QuireError(
      'INVALID_SETTING',
      `${prefix}.token.sha256 = (secret): expected 64 hexadecimal digits.`,
    );
  }
  const token = (
    await readSecret(`${prefix}.token`, settings.tokenFile, settings.tokenEnv, sources)
  )?.trim();
  if (token !== undefined && !/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    throw new QuireError(
      'INVALID_SETTING',
      `The token of ${prefix} is not valid: expected letters, digits and . _ ~ + / - only.`,
    );
  }
  return token === undefined ? undefined : sha256(token);
}

function parsePassword(prefix: string, text: string): string {
  const password = text.replace(/[\r\n]+$/, '').normalize('NFC');
  if (password === '') {
    throw new QuireError('INVALID_SETTING', `The password of ${prefix} is empty.`);
  }
  return password;
}

/** Returns the secret in a file or a variable. */
async function readSecret(
  key: string,
  path: string | undefined,
  variable: string | undefined,
  sources: SecretSources,
): Promise<string | undefined> {
  if (variable !== undefined) {
    const secret = sources.environment[variable];
    if (secret !== undefined) return secret;
    throw new QuireError(
      'INVALID_SETTING',
      `The environment variable named by ${key}.env is not set.`,
    );
  }
  if (path === undefined) return undefined;
  try {
    return await sources.readFile(path);
  } catch (error) {
    // Not attached as the cause: a file system error repeats the path.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new QuireError(
      'INVALID_SETTING',
      `The file named by ${key}.file cannot be read (${code}).`,
    );
  }
}

function assertDistinct(principal: KnownPrincipal, others: readonly KnownPrincipal[]): void {
  const { name, tokenDigest } = principal;
  const sameToken = others.find(
    (other) => tokenDigest !== undefined && digestsEqual(tokenDigest, other.tokenDigest),
  );
  if (sameToken !== undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      `engine.auth.principal.${name} has the same token as engine.auth.principal.${sameToken.name}.`,
    );
  }
  if (others.some((other) => other.name === name)) {
    throw new QuireError('INVALID_SETTING', `engine.auth.principal.${name} is configured twice.`);
  }
}
