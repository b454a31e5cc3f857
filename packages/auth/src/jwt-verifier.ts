import { type Clock, isQuireError } from '@quire/core';
import type { errors as JoseErrors, JWTPayload } from 'jose';
import type { JwkSet } from './jwk-set.ts';
import { loadJose } from './load-jose.ts';
import type { Principal, Role } from './principal.ts';
import { refusedCredentials } from './refused-credentials.ts';

/** The asymmetric signature algorithms: a public key cannot create a signature. */
export const jwtAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** A signature algorithm that JSON Web Tokens may use. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** The tokens that a `JwtVerifier` accepts. */
export interface JwtOptions {
  readonly keys: Pick<JwkSet, 'keyFor'>;
  readonly clock: Clock;
  /** The required `iss` of every token. */
  readonly issuer: string;
  /** The value that a token's `aud` must include. */
  readonly audience: string;
  readonly algorithms: readonly JwtAlgorithm[];
  /** The maximum difference between the clocks of issuer and server. */
  readonly clockToleranceMs: number;
  /** The claim that names the principal. */
  readonly subjectClaim: string;
  /**
   * The claim with the roles: a word, several words separated by spaces, or a list; dots select
   * members of objects.
   */
  readonly roleClaim: string;
  /** The words for each role. */
  readonly roleWords: Readonly<Record<Role, string>>;
  /** The role of a token that has neither word; undefined: it is refused. */
  readonly roleDefault: Role | undefined;
}

/**
 * Verifies JSON Web Tokens (RFC 7519) and returns their principals. A token must be signed by one
 * of the keys with an allowed algorithm, be from the issuer and for the audience, not be expired,
 * and have a subject and a role.
 *
 * The principal's name is `jwt:` and the subject. Names of principals in the settings have no
 * colon, so that no subject can be the same owner as one of them.
 */
export class JwtVerifier {
  readonly #options: JwtOptions;

  constructor(options: JwtOptions) {
    this.#options = options;
  }

  /**
   * Verifies a token.
   *
   * @throws UNAUTHENTICATED when it is not valid; the message contains neither the token nor the
   *   reason
   * @throws AUTHENTICATION_UNAVAILABLE when it cannot be verified now
   */
  async verify(token: string): Promise<Principal> {
    const payload = await this.#payloadOf(token);
    const { subjectClaim } = this.#options;
    const subject = claimOf(payload, subjectClaim);
    if (typeof subject !== 'string' || !/^\P{C}{1,255}$/u.test(subject)) {
      throw refusedCredentials(
        `the token has no claim ${subjectClaim} of 1 to 255 printable characters`,
      );
    }
    return { name: `jwt:${subject}`, role: this.#roleOf(payload) };
  }

  async #payloadOf(token: string): Promise<JWTPayload> {
    const { keys, clock, issuer, audience, algorithms, clockToleranceMs } = this.#options;
    const { errors, jwtVerify } = await loadJose();
    try {
      const { payload } = await jwtVerify(token, keys.keyFor, {
        algorithms: [...algorithms],
        issuer,
        audience,
        requiredClaims: ['exp'],
        clockTolerance: clockToleranceMs / 1000,
        currentDate: new Date(clock.nowMs()),
      });
      return payload;
    } catch (error) {
      if (isQuireError(error)) throw error;
      // Not attached as the cause: such an error contains the token's claims.
      throw refusedCredentials(reasonOf(error, errors));
    }
  }

  #roleOf(payload: JWTPayload): Role {
    const { roleClaim, roleWords, roleDefault } = this.#options;
    const words = wordsOf(claimOf(payload, roleClaim));
    if (words.includes(roleWords.admin)) return 'admin';
    if (words.includes(roleWords.query)) return 'query';
    if (roleDefault !== undefined) return roleDefault;
    throw refusedCredentials(`the token has no role in its claim ${roleClaim}`);
  }
}

/**
 * Reports whether a credential has the form of a JSON Web Token: three parts, of which only the
 * last may be empty.
 */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/** Returns a claim by its whole name, or otherwise by the path that its dots describe. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

function wordsOf(claim: unknown): readonly unknown[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim : [];
}

/** Returns the reason why a token was refused, for operators; it contains no text of the token. */
function reasonOf(error: unknown, errors: typeof JoseErrors): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `the token's claim ${knownClaim(error.claim)} does not have the required value`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'the signature of the token is not valid';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return 'the token is signed with an algorithm that is not allowed';
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return 'the token names a key that the issuer does not have';
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return 'the token does not identify its key, and there are several';
  }
  return 'the token is malformed';
}

function knownClaim(claim: string): string {
  return ['iss', 'aud', 'exp', 'nbf', 'iat'].includes(claim) ? claim : 'set';
}
