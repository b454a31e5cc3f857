import { type SettingKind, text } from './setting-kind.ts';

/** A SHA-256 digest in hexadecimal; the value is in lower case. */
export const sha256Hex: SettingKind<string> = {
  allowed: '64 hexadecimal digits',
  parse: (value) => (/^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : undefined),
  format: (value) => value,
};

/** The form of a salted password hash; what the numbers may be is for the password check to say. */
export const scryptHash: SettingKind<string> = text(
  /^scrypt:\d{1,10}:\d{1,10}:\d{1,10}:[A-Za-z0-9+/]+={0,2}:[A-Za-z0-9+/]+={0,2}$/,
  'scrypt:N:r:p:salt:hash, the last two in base64',
);

export const variableName: SettingKind<string> = text(/^[A-Za-z_]\w{0,127}$/, 'the name of an environment variable');
