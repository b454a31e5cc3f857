import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';

/** An issuer of JSON Web Tokens with one key. */
export interface TokenIssuer {
  /** The public key, as it is published. */
  readonly jwks: string;
  /** A token that is valid until `expirySeconds`, with these claims. */
  sign(claims: JWTPayload): Promise<string>;
}

export const issuerName = 'https://issuer.example.com';
export const audience = 'quire';

export async function createTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  return { jwks: JSON.stringify({ keys: [jwk] }), sign: (claims) => sign(claims, privateKey) };
}

function sign(claims: JWTPayload, privateKey: CryptoKey): Promise<string> {
  return new SignJWT({ iss: issuerName, aud: audience, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(privateKey);
}
