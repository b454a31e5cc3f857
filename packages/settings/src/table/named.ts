import { sqlDialects } from '@quire/core';
import {
  choice,
  optionalSetting,
  path,
  requiredSetting,
  setting,
  type SettingKind,
  size,
  text,
} from '@quire/core/settings';

/** A SHA-256 digest in hexadecimal; the value is in lower case. */
const sha256Hex: SettingKind<string> = {
  allowed: '64 hexadecimal digits',
  parse: (value) => (/^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : undefined),
  format: (value) => value,
};

/** A salted password hash by its form; the password check validates the numbers. */
const scryptHash: SettingKind<string> = text(
  /^scrypt:\d{1,10}:\d{1,10}:\d{1,10}:[A-Za-z0-9+/]+={0,2}:[A-Za-z0-9+/]+={0,2}$/,
  'scrypt:N:r:p:salt:hash, the last two in base64',
);

const variableName: SettingKind<string> = text(
  /^[A-Za-z_]\w{0,127}$/,
  'the name of an environment variable',
);

/** The tables that queries may read, one for each name. */
export const tables = {
  path: requiredSetting({
    key: 'engine.table.<name>.path',
    kind: path,
    meaning: 'The file of the table, or a glob over several files with the same columns.',
  }),
  format: setting({
    key: 'engine.table.<name>.format',
    kind: choice('auto', 'parquet', 'csv', 'json'),
    default: 'auto',
    meaning: 'The format of the files; `auto` uses the file extension.',
  }),
};

/** The callers, one for each name. */
export const principals = {
  role: requiredSetting({
    key: 'engine.auth.principal.<name>.role',
    kind: choice('query', 'admin'),
    meaning:
      'The permissions of the principal: `query` runs queries and manages its own results, `admin` may do everything.',
  }),
  tokenSha256: optionalSetting({
    key: 'engine.auth.principal.<name>.token.sha256',
    kind: sha256Hex,
    secret: true,
    meaning: "The SHA-256 of the principal's token.",
  }),
  tokenFile: optionalSetting({
    key: 'engine.auth.principal.<name>.token.file',
    kind: path,
    secret: true,
    meaning: "A file with the principal's token; surrounding white space is ignored.",
  }),
  tokenEnv: optionalSetting({
    key: 'engine.auth.principal.<name>.token.env',
    kind: variableName,
    secret: true,
    meaning: "The name of an environment variable with the principal's token.",
  }),
  passwordScrypt: optionalSetting({
    key: 'engine.auth.principal.<name>.password.scrypt',
    kind: scryptHash,
    secret: true,
    meaning: "A salted hash of the principal's password.",
  }),
  passwordFile: optionalSetting({
    key: 'engine.auth.principal.<name>.password.file',
    kind: path,
    secret: true,
    meaning: "A file with the principal's password; trailing line breaks are ignored.",
  }),
  passwordEnv: optionalSetting({
    key: 'engine.auth.principal.<name>.password.env',
    kind: variableName,
    secret: true,
    meaning: "The name of an environment variable with the principal's password.",
  }),
  dialect: optionalSetting({
    key: 'engine.auth.principal.<name>.dialect',
    kind: choice(...sqlDialects),
    live: true,
    meaning: "The language of the principal's queries, instead of `engine.sql.dialect`.",
  }),
  shareBytesMax: optionalSetting({
    key: 'engine.auth.principal.<name>.quota.maxMB',
    kind: size('MB', 1, 1_073_741_824),
    meaning:
      'The storage on one broker for the results of the principal, instead of `engine.broker.pagination.quota.principal.maxPercent`; at most ' +
      'the quota.',
  }),
};
