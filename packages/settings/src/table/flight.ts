import { duration, optionalSetting, port, setting, size, text } from '@quire/core/settings';

/** Arrow Flight SQL on the broker. */
export const flight = {
  port: optionalSetting({
    key: 'engine.broker.flight.port',
    kind: port,
    meaning:
      "The port of Arrow Flight SQL, for ADBC, JDBC and other clients, on the broker's address; with TLS if the broker has a " +
      'certificate. Without it the broker serves HTTP only. The usual port is 8815.',
  }),
  expirationMs: setting({
    key: 'engine.broker.flight.expiration',
    kind: duration('1s', '365d'),
    default: '10m',
    live: true,
    meaning:
      'The lifetime of a result of Arrow Flight SQL, and the extension by RenewFlightEndpoint. Each query stores a result, which clients rarely read twice.',
  }),
  messageBytesMax: setting({
    key: 'engine.broker.flight.message.maxKB',
    kind: size('KB', 64, 1_048_576),
    default: '4096',
    meaning:
      'The maximum size of a message of rows; larger batches are split, down to one row. Clients in Go and Rust accept 4 MB by default.',
  }),
  tokenKey: optionalSetting({
    key: 'engine.broker.flight.token.key',
    kind: text(/^[^\s\p{C}]{16,200}$/u, 'a text of 16 to 200 characters without spaces'),
    secret: true,
    meaning:
      'The key that seals the session token which a client gets for its name and password when it connects. Must be the same on all brokers behind one address. Without it each broker creates its own, and clients log in again after a restart.',
  }),
  tokenLifetimeMs: setting({
    key: 'engine.broker.flight.token.lifetime',
    kind: duration('1m', '365d'),
    default: '1d',
    live: true,
    meaning:
      'The lifetime of such a token. It becomes invalid earlier if the secrets of its principal are replaced.',
  }),
};
