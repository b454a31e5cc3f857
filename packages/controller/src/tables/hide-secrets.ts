import type { Principal } from '@quire/auth';
import type { JsonValue } from '@quire/core';

/**
 * Matches members of configs with credentials: of streams (`sasl.jaas.config`,
 * `ssl.keystore.password`), and of buckets (`secretKey`).
 */
const secretName =
  /password|passphrase|secret|token|credential|jaas|private\.?key|access\.?key|(?:keystore|truststore)\.key|ssl\.key/i;
/** The replacement of a secret. */
const hidden = '*****';

/**
 * Returns a config, or a document that contains some, as a principal may read it: unchanged for
 * admins, without credentials for others.
 */
export function readableConfig<Config extends object>(
  config: Config,
  principal: Principal,
): Config {
  return principal.role === 'admin' ? config : (hideSecrets(config as JsonValue) as Config);
}

function hideSecrets(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => hideSecrets(each));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      typeof member === 'string' && secretName.test(name) ? hidden : hideSecrets(member),
    ]),
  );
}
