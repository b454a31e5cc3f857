import { type Clock, isQuireError } from '@quire/core';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { JwkSet } from './jwk-set.ts';
import type { Principal, Role } from './principal.ts';
import { refusedCredentials } from './refused-credentials.ts';

/** Signatures by a private key that only the issuer has: a public key can make none of them. */
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
  /** The `iss` of every token. */
  readonly issuer: string;
  /** One of a token's `aud`. */
  readonly audience: string;
  readonly algorithms: readonly JwtAlgorithm[];
  /** How far the clocks of issuer and server may be apart. */
  readonly clockToleranceMs: number;
  /** The claim that names the principal. */
  readonly subjectClaim: string;
  /**
   * The claim with the roles: a text, a text of several words, or a list; dots lead into objects.
   */
  readonly roleClaim: string;
  /** What makes an admin, and what lets query. */
  readonly roleWords: Readonly<Record<Role, string>>;
  /** The role of a token that has neither word; undefined: it lets nobody in. */
  readonly roleDefault: Role | undefined;
}

/**
 * Says whom a JSON Web Token (RFC 7519) stands for. It must be signed by one of the keys, with an
 * allowed algorithm, be from the issuer and for the audience, have a time at which it expires that
 * has not come, a subject, and a role.
 *
 * The principal's name is `jwt:` and the subject. Principals in the settings have no colon in their
 * names: no subject, whatever the issuer calls it, is the same owner as one of them.
 */
export class JwtVerifier {
  readonly #options: JwtOptions;

  constructor(options: JwtOptions) {
    this.#options = options;
  }

  /**
   * @throws UNAUTHENTICATED when it is not such a token; the message says nothing of it, nor of the
   * reason
   * @throws AUTHENTICATION_UNAVAILABLE when it cannot be told
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
      // Not as its cause: such an error has the claims of the token with it.
      throw refusedCredentials(reasonOf(error));
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
 * Tells whether a credential has the form of a JSON Web Token: three parts, of which only the last
 * may be empty.
 */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/** A claim by its whole name, else by the way that its dots name. */
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

/** Why a token was refused, for the operator: in our words, of which none is the token's. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `the token's claim ${knownClaim(error.claim)} is not as required`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'the signature of the token is wrong';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return 'the token is signed with an algorithm that is not allowed';
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return 'the token names a key that the issuer does not have';
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return 'the token does not say which of several keys it is signed with';
  }
  return 'the token is malformed';
}

function knownClaim(claim: string): string {
  return ['iss', 'aud', 'exp', 'nbf', 'iat'].includes(claim) ? claim : 'set';
}
