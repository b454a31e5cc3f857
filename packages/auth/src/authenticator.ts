import { createHmac } from 'node:crypto';
import { QuireError, type Random, systemRandom } from '@quire/core';
import { Slots } from '@quire/core/wait';
import { type Credentials, parseCredentials } from './credentials.ts';
import { digestsEqual, sha256 } from './digest.ts';
import { type JwtVerifier, looksLikeJwt } from './jwt-verifier.ts';
import type { KnownPrincipal } from './known-principal.ts';
import type { Principal } from './principal.ts';
import { refusedCredentials } from './refused-credentials.ts';
import { formatScryptHash, matchesScryptHash, type ScryptHash } from './scrypt-hash.ts';
import type { SessionTokens } from './session-tokens.ts';

/**
 * Returns the values of WWW-Authenticate for every UNAUTHENTICATED, one header line each: browsers
 * read one challenge from each line, and ask for a name and password only if they find the Basic
 * one.
 */
export function authenticateChallenges({
  offersBasic,
}: {
  readonly offersBasic: boolean;
}): string[] {
  return [...(offersBasic ? ['Basic realm="quire", charset="UTF-8"'] : []), 'Bearer realm="quire"'];
}

const waitingMax = 64;
const verifiedMax = 1024;

/** Options of an `Authenticator`, in addition to its principals. */
export interface AuthenticatorOptions {
  readonly random?: Random;
  /** Verifies JSON Web Tokens; without it, they are tokens like any other. */
  readonly jwt?: Pick<JwtVerifier, 'verify'> | undefined;
  /** Issues and opens session tokens. Without it, there are none. */
  readonly sessions?: SessionTokens | undefined;
}

/**
 * Authenticates callers. The answer to a wrong credential, and its timing, do not reveal whether
 * the name, the token or the password was wrong: every secret is compared by digest, with every
 * principal, and an unknown name also costs a key derivation.
 */
export class Authenticator {
  /**
   * One key at a time is derived: a derivation occupies a thread that file reads need, and a flood
   * of wrong passwords must not occupy all.
   */
  readonly #derivations = new Slots(1, { waitingMax, error: tooManyPasswords });
  readonly #random: Random;
  readonly #jwt: AuthenticatorOptions['jwt'];
  readonly #sessions: SessionTokens | undefined;
  #principals: readonly KnownPrincipal[];
  /**
   * The hash that an unknown name is checked against: it costs as much as the most expensive one,
   * and matches nothing.
   */
  #decoy: ScryptHash | undefined;
  readonly #macKey: Uint8Array;
  /**
   * Passwords that are being checked or were accepted, by a MAC of name and password, least
   * recently used first.
   */
  readonly #verified = new Map<string, Promise<boolean>>();

  constructor(
    principals: readonly KnownPrincipal[],
    { random = systemRandom, jwt, sessions }: AuthenticatorOptions = {},
  ) {
    this.#random = random;
    this.#jwt = jwt;
    this.#sessions = sessions;
    this.#principals = principals;
    this.#macKey = random.bytes(32);
    this.#decoy = decoyOf(principals, random);
  }

  /** Replaces the principals or their secrets: from now on only these are accepted. */
  replacePrincipals(principals: readonly KnownPrincipal[]): void {
    this.#principals = principals;
    this.#decoy = decoyOf(principals, this.#random);
    this.#verified.clear();
  }

  /**
   * Returns the principal whose credential an Authorization header presents: `Bearer <token>`,
   * `Basic <token>`, or `Basic` with the base64 of `name:password` or `name:token`. A bearer token
   * of no principal in the settings may be a JSON Web Token.
   *
   * @throws UNAUTHENTICATED when it is missing, malformed or wrong; the message never repeats any
   *   of it
   * @throws TOO_MANY_REQUESTS when too many passwords are being checked
   * @throws AUTHENTICATION_UNAVAILABLE when the keys of JSON Web Tokens cannot be read
   */
  async authenticate(header: string | undefined): Promise<Principal> {
    const credentials = parseCredentials(header);
    const known = this.#findByDigest(credentials) ?? this.#findBySession(credentials);
    if (
      known === undefined &&
      this.#jwt !== undefined &&
      credentials.isBearer &&
      looksLikeJwt(credentials.token)
    ) {
      return this.#jwt.verify(credentials.token);
    }
    const found = known ?? (await this.#findByPasswordHash(credentials));
    if (found === undefined) throw refusedCredentials();
    return { name: found.name, role: found.role };
  }

  /**
   * Returns a temporary bearer token for a principal of the settings; undefined for others, such as
   * those of JSON Web Tokens.
   */
  issueToken(name: string): string | undefined {
    const principal = this.#named(name);
    return principal && this.#sessions?.issue(principal);
  }

  #findBySession({ token, isBearer }: Credentials): KnownPrincipal | undefined {
    return isBearer ? this.#sessions?.open(token, this.#principals) : undefined;
  }

  #findByDigest({ token, login }: Credentials): KnownPrincipal | undefined {
    const tokenDigest = sha256(token);
    const secretDigest = sha256(login?.secret ?? '');
    let found: KnownPrincipal | undefined;
    // No early exit: the time must not reveal the position of a matching secret.
    for (const principal of this.#principals) {
      const isToken = digestsEqual(tokenDigest, principal.tokenDigest);
      const isSecretToken = digestsEqual(secretDigest, principal.tokenDigest);
      const isPassword = digestsEqual(secretDigest, principal.passwordDigest);
      if (isToken || (login?.name === principal.name && (isSecretToken || isPassword))) {
        found = principal;
      }
    }
    return found;
  }

  async #findByPasswordHash({ login }: Credentials): Promise<KnownPrincipal | undefined> {
    if (login === undefined || this.#decoy === undefined) return undefined;
    const hashBefore = this.#named(login.name)?.passwordHash;
    const isRight = await this.#verify(login, hashBefore ?? this.#decoy);
    const principal = this.#named(login.name);
    // If the hash was replaced during the check, the check proves nothing.
    const isProven = isRight && isSame(hashBefore, principal?.passwordHash);
    return isProven ? principal : undefined;
  }

  #named(name: string): KnownPrincipal | undefined {
    return this.#principals.find((each) => each.name === name);
  }

  /**
   * Checks a password once for all calls that present it, at the same time or later; wrong ones are
   * not cached.
   */
  async #verify(
    login: { readonly name: string; readonly secret: string },
    hash: ScryptHash,
  ): Promise<boolean> {
    const mac = createHmac('sha256', this.#macKey)
      .update(`${login.name}:${login.secret}`, 'utf8')
      .digest('base64');
    const verification =
      this.#verified.get(mac) ?? this.#derivations.run(() => matchesScryptHash(login.secret, hash));
    this.#verified.delete(mac);
    this.#verified.set(mac, verification);
    let isRight = false;
    try {
      isRight = await verification;
    } finally {
      if (!isRight) this.#verified.delete(mac);
    }
    this.#forgetUnused();
    return isRight;
  }

  #forgetUnused(): void {
    for (const mac of this.#verified.keys()) {
      if (this.#verified.size <= verifiedMax) return;
      this.#verified.delete(mac);
    }
  }
}

function decoyOf(principals: readonly KnownPrincipal[], random: Random): ScryptHash | undefined {
  const work = (hash: ScryptHash): number => hash.cost * hash.blockSize * hash.parallelization;
  const hashes = principals
    .flatMap(({ passwordHash }) => passwordHash ?? [])
    .toSorted((a, b) => work(b) - work(a));
  return hashes[0] && { ...hashes[0], key: random.bytes(hashes[0].key.length) };
}

/** Reports whether these are the same hash; an absent one equals nothing. */
function isSame(one: ScryptHash | undefined, other: ScryptHash | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return formatScryptHash(one) === formatScryptHash(other);
}

function tooManyPasswords(): QuireError {
  return new QuireError(
    'TOO_MANY_REQUESTS',
    'Too many passwords are being checked; retry shortly.',
  );
}
