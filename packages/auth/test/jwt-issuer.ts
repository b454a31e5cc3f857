import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';

/** An issuer of tokens: key pairs, by the key ids in the tokens. */
export class JwtIssuer {
  readonly #algorithm: string;
  readonly #keys = new Map<string, { readonly privateKey: CryptoKey; readonly jwk: JWK }>();

  private constructor(algorithm: string) {
    this.#algorithm = algorithm;
  }

  static async create(algorithm = 'ES256', ...keyIds: readonly string[]): Promise<JwtIssuer> {
    const issuer = new JwtIssuer(algorithm);
    for (const keyId of keyIds.length === 0 ? ['k1'] : keyIds) await issuer.addKey(keyId);
    return issuer;
  }

  /** The public keys, as they are published. */
  get jwks(): string {
    return JSON.stringify({ keys: [...this.#keys.values()].map(({ jwk }) => jwk) });
  }

  publicKey(keyId: string): JWK {
    return { ...this.#keys.get(keyId)?.jwk };
  }

  async addKey(keyId: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(this.#algorithm, { extractable: true });
    this.#keys.set(keyId, {
      privateKey,
      jwk: { ...(await exportJWK(publicKey)), kid: keyId, alg: this.#algorithm, use: 'sig' },
    });
  }

  removeKey(keyId: string): void {
    this.#keys.delete(keyId);
  }

  /** A token with these claims, signed with the key of that name. */
  sign(claims: JWTPayload, keyId = 'k1'): Promise<string> {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new Error(`There is no key ${keyId}.`);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: this.#algorithm, kid: keyId })
      .sign(key.privateKey);
  }
}

/** Returns a token as text, with any content and signature. */
export function forgeToken(header: object, claims: object, signature = ''): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(claims)}.${signature}`;
}
