import { duration, optionalSetting, port, setting, size, text } from '@quire/core/settings';

/** Arrow Flight SQL at the broker. */
export const flight = {
  port: optionalSetting({
    key: 'engine.broker.flight.port',
    kind: port,
    meaning:
      'The port of Arrow Flight SQL, for ADBC, JDBC and others that speak it, at the address that the broker listens on; with TLS where it has a ' +
      'certificate. Without it the broker answers HTTP only. The usual port is 8815.',
  }),
  expirationMs: setting({
    key: 'engine.broker.flight.expiration',
    kind: duration('1s', '365d'),
    default: '10m',
    live: true,
    meaning:
      'How long the result of a query lives that came by Arrow Flight SQL, and how far RenewFlightEndpoint extends that. Each query stores one, and its ' +
      'clients seldom read one twice.',
  }),
  messageBytesMax: setting({
    key: 'engine.broker.flight.message.maxKB',
    kind: size('KB', 64, 1_048_576),
    default: '4096',
    meaning:
      'The largest message of rows; larger batches are parted, down to a row. Clients in Go and Rust take 4 MB by default.',
  }),
  tokenKey: optionalSetting({
    key: 'engine.broker.flight.token.key',
    kind: text(/^[^\s\p{C}]{16,200}$/u, 'a text of 16 to 200 characters without spaces'),
    secret: true,
    meaning:
      'The key that seals the token which a client gets for its name and password when it connects. The same for brokers that clients reach by one ' +
      'address. Without it each broker has one of its own, and clients log in again after a restart.',
  }),
  tokenLifetimeMs: setting({
    key: 'engine.broker.flight.token.lifetime',
    kind: duration('1m', '365d'),
    default: '1d',
    live: true,
    meaning:
      'How long such a token is valid. It is void sooner when the secrets of its principal are replaced.',
  }),
};
