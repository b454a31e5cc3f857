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

/** How JSON Web Tokens are checked, and whom they stand for. */
export const jwt = {
  keys: optionalSetting({
    key: 'engine.auth.jwt.jwks.url',
    kind: textLocation,
    secret: true,
    // Keys alone would accept tokens that the same issuer signed for other services.
    requires: ['engine.auth.jwt.issuer', 'engine.auth.jwt.audience'],
    meaning:
      'Where the JSON Web Key Set is that tokens are signed with. With it, JSON Web Tokens are taken as bearer tokens. Not shown, ' +
      'because a URL may hold credentials.',
  }),
  issuer: optionalSetting({
    key: 'engine.auth.jwt.issuer',
    kind: identifier,
    meaning: 'The issuer (`iss`) of every token. Must be set with the keys.',
  }),
  audience: optionalSetting({
    key: 'engine.auth.jwt.audience',
    kind: identifier,
    meaning: 'The audience (`aud`) of every token. Must be set with the keys.',
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
      'The algorithms that tokens may be signed with. There is none for unsigned tokens or shared secrets.',
  }),
  subjectClaim: setting({
    key: 'engine.auth.jwt.subject.claim',
    kind: word,
    default: 'sub',
    meaning:
      'The claim that names the caller. The principal is called `jwt:` and its value, so that it differs from every principal of these settings; ' +
      'it owns the results of its queries, on every broker that takes the token.',
  }),
  roleClaim: setting({
    key: 'engine.auth.jwt.role.claim',
    kind: word,
    default: 'roles',
    meaning:
      'The claim with the roles: a text, words with spaces between, or a list. Dots lead into objects: `realm_access.roles`.',
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
      'How far the clock of the issuer may be off when it is checked whether a token has expired or holds already.',
  }),
  keysMaxAgeMs: setting({
    key: 'engine.auth.jwt.jwks.maxAge',
    kind: duration('10s', '1d'),
    default: '10m',
    meaning:
      'After how long the keys are read again in any case. While that fails, the last good ones hold.',
  }),
  keysCooldownMs: setting({
    key: 'engine.auth.jwt.jwks.cooldown',
    kind: duration('1s', '1h'),
    default: '30s',
    meaning:
      'How long to wait between two readings of the keys, however many tokens name keys that are not among them.',
  }),
};

/** How much one caller may ask of a service. */
export const limits = {
  callsPerSecondMax: setting({
    key: 'engine.auth.limit.requestsPerSecond',
    kind: countOrUnlimited(1_000_000),
    default: '0',
    live: true,
    meaning:
      'The calls of one principal a second, to each service; as many may come at once. Further ones are answered with 429.',
  }),
  callsRunningMax: setting({
    key: 'engine.auth.limit.concurrency',
    kind: countOrUnlimited(1_000_000),
    default: '0',
    live: true,
    meaning:
      'The calls of one principal that a service answers at the same time; a call counts until the query, preview, load or start of a restream ' +
      'that it began has ended, though it has been answered. Further ones are answered with 429. Calls that only read, watch or cancel are held ' +
      'to the calls under way alone, so that a principal can always see to its queries.',
  }),
  pageStreamsMax: setting({
    key: 'engine.auth.limit.pageStreams',
    kind: countOrUnlimited(1_000_000),
    default: '128',
    live: true,
    meaning:
      'The pages and downloads of one principal that a broker sends at the same time. Further ones are answered with 429. Small pages ' +
      'that are sent in one piece do not count.',
  }),
  failuresPerMinuteMax: setting({
    key: 'engine.auth.limit.failuresPerMinute',
    kind: countOrUnlimited(1_000_000),
    default: '60',
    live: true,
    meaning:
      'The wrong credentials from one address a minute; as many may come at once. Then any from there are answered with 429, except those ' +
      'that were right recently: a proxy makes the calls of many from one address.',
  }),
};
