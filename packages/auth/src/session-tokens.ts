import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@quire/core';
import { identifyPrincipals, type KnownPrincipal } from './known-principal.ts';

/** The key and the lifetime of session tokens. */
export interface SessionTokenOptions {
  /** The key, which must be equal on all servers that accept each other's tokens. */
  readonly key: string | Uint8Array;
  readonly clock: Clock;
  /** Returns the lifetime of a token; called for each, so that it is live. */
  readonly lifetimeMs: () => number;
}

const prefix = 'quire1';
const form = /^quire1\.([A-Za-z0-9_-]{1,1000})\.([A-Za-z0-9_-]{43})$/;

/**
 * Bearer tokens for a login, so that a client sends its password once. They contain the name and
 * the expiration time, sealed with a key and with the principal's secrets. Nothing is stored, any
 * server with the key can verify one, and all tokens of a principal become invalid when its secrets
 * are replaced.
 */
export class SessionTokens {
  readonly #options: SessionTokenOptions;

  constructor(options: SessionTokenOptions) {
    this.#options = options;
  }

  issue(principal: KnownPrincipal): string {
    const { clock, lifetimeMs } = this.#options;
    const claims = JSON.stringify([principal.name, clock.nowMs() + lifetimeMs()]);
    const payload = Buffer.from(claims, 'utf8').toString('base64url');
    return `${prefix}.${payload}.${this.#seal(payload, principal).toString('base64url')}`;
  }

  /** Returns the principal of a token; undefined if the token is not valid. */
  open(token: string, principals: readonly KnownPrincipal[]): KnownPrincipal | undefined {
    const [, payload = '', seal = ''] = form.exec(token) ?? [];
    const [name, endMs] = claimsOf(payload);
    const principal = principals.find((each) => each.name === name);
    if (principal === undefined || endMs === undefined) return undefined;
    const isSealed = timingSafeEqual(
      Buffer.from(seal, 'base64url'),
      this.#seal(payload, principal),
    );
    return isSealed && this.#options.clock.nowMs() < endMs ? principal : undefined;
  }

  #seal(payload: string, principal: KnownPrincipal): Buffer {
    return createHmac('sha256', this.#options.key)
      .update(`${payload} ${identifyPrincipals([principal])}`, 'utf8')
      .digest();
  }
}

function claimsOf(payload: string): readonly [name?: string, endMs?: number] {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (!Array.isArray(claims)) return [];
    const [name, endMs] = claims as readonly unknown[];
    return typeof name === 'string' && typeof endMs === 'number' ? [name, endMs] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
