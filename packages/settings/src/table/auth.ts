import {
  choice,
  choices,
  countOrUnlimited,
  duration,
  optionalSetting,
  setting,
  text,
  textLocation,
} from '@quire/core/settings';

const word = text(/^[^\s\p{C}]{1,200}$/u, 'a text of 1 to 200 characters without spaces');
const identifier = text(
  /^[^\s\p{C}]{1,1000}$/u,
  'a text of 1 to 1000 characters without spaces, often a URL',
);

/** The validation of JSON Web Tokens, and their mapping to principals. */
export const jwt = {
  keys: optionalSetting({
    key: 'engine.auth.jwt.jwks.url',
    kind: textLocation,
    secret: true,
    // Keys alone would accept tokens that the same issuer signed for other services.
    requires: ['engine.auth.jwt.issuer', 'engine.auth.jwt.audience'],
    meaning:
      'The location of the JSON Web Key Set for the signatures of tokens. If set, JSON Web Tokens are accepted as bearer tokens. Not shown, ' +
      'because a URL may contain credentials.',
  }),
  issuer: optionalSetting({
    key: 'engine.auth.jwt.issuer',
    kind: identifier,
    meaning: 'The issuer (`iss`) of every token. Required if `engine.auth.jwt.jwks.url` is set.',
  }),
  audience: optionalSetting({
    key: 'engine.auth.jwt.audience',
    kind: identifier,
    meaning: 'The audience (`aud`) of every token. Required if `engine.auth.jwt.jwks.url` is set.',
  }),
  algorithms: setting({
    key: 'engine.auth.jwt.algorithms',
    kind: choices(
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
    ),
    default: 'RS256,PS256,ES256,EdDSA',
    meaning:
      'The algorithms that tokens may be signed with. Unsigned tokens and shared secrets are not supported.',
  }),
  subjectClaim: setting({
    key: 'engine.auth.jwt.subject.claim',
    kind: word,
    default: 'sub',
    meaning:
      "The claim that names the caller. The principal's name is `jwt:` and its value, so that it differs from every principal of these settings; " +
      'it owns the results of its queries on every broker that accepts the token.',
  }),
  roleClaim: setting({
    key: 'engine.auth.jwt.role.claim',
    kind: word,
    default: 'roles',
    meaning:
      'The claim with the roles: a word, words separated by spaces, or a list. Dots select members of objects: `realm_access.roles`.',
  }),
  adminWord: setting({
    key: 'engine.auth.jwt.role.admin',
    kind: word,
    default: 'admin',
    meaning: 'The value of that claim for callers who may do everything.',
  }),
  queryWord: setting({
    key: 'engine.auth.jwt.role.query',
    kind: word,
    default: 'query',
    meaning: 'The value of that claim for callers who may run queries.',
  }),
  roleDefault: setting({
    key: 'engine.auth.jwt.role.default',
    kind: choice('none', 'query'),
    default: 'none',
    meaning: 'The role of a token with neither of the two: `none` refuses it.',
  }),
  clockToleranceMs: setting({
    key: 'engine.auth.jwt.clock.tolerance',
    kind: duration('0s', '5m'),
    default: '30s',
    meaning:
      "The tolerance for the issuer's clock when checking whether a token is valid yet or has expired.",
  }),
  keysMaxAgeMs: setting({
    key: 'engine.auth.jwt.jwks.maxAge',
    kind: duration('10s', '1d'),
    default: '10m',
    meaning:
      'The age at which the keys are read again. If that fails, the last valid ones stay in use.',
  }),
  keysCooldownMs: setting({
    key: 'engine.auth.jwt.jwks.cooldown',
    kind: duration('1s', '1h'),
    default: '30s',
    meaning:
      'The minimum time between two reads of the keys, however many tokens reference unknown keys.',
  }),
};

/** The limits for one caller of a service. */
export const limits = {
  callsPerSecondMax: setting({
    key: 'engine.auth.limit.requestsPerSecond',
    kind: countOrUnlimited(1_000_000),
    default: '0',
    live: true,
    meaning:
      'The calls of one principal to each service in a second, and the size of a burst. Further calls are answered with 429.',
  }),
  callsRunningMax: setting({
    key: 'engine.auth.limit.concurrency',
    kind: countOrUnlimited(1_000_000),
    default: '0',
    live: true,
    meaning:
      'The concurrent calls of one principal in each service. A call counts until the query, preview, load or restream that it ' +
      'started has ended, even if the call has been answered. Further calls are answered with 429. For calls that only read, watch or cancel, ' +
      'only the calls in progress count, so that a principal can always manage its queries.',
  }),
  pageStreamsMax: setting({
    key: 'engine.auth.limit.pageStreams',
    kind: countOrUnlimited(1_000_000),
    default: '128',
    live: true,
    meaning:
      'The concurrent pages and downloads of one principal on a broker. Further ones are answered with 429. Small pages ' +
      'that are sent in one piece do not count.',
  }),
  failuresPerMinuteMax: setting({
    key: 'engine.auth.limit.failuresPerMinute',
    kind: countOrUnlimited(1_000_000),
    default: '60',
    live: true,
    meaning:
      'The wrong credentials from one address in a minute, and the size of a burst. Beyond that, all credentials from it are answered with 429, except those ' +
      'that were accepted recently, because a proxy makes the calls of many callers from one address.',
  }),
};
