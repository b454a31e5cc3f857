import type { Principal } from '@quire/auth';
import { type JsonValue, QuireError } from '@quire/core';

/**
 * Matches members of configs with credentials: of streams (`sasl.jaas.config`,
 * `ssl.keystore.password`, `ssl.client.key`), of schema registries (`basic.auth.user.info`), and of
 * buckets (`secretKey`, `accountKey`). What ends in `key` is one, because clients of streams and
 * buckets have many names for it.
 */
const secretName =
  /passw|passphrase|pwd|secret|token|credential|jaas|(?:private|access)[._-]?key|(?:keystore|truststore)\.key|ssl\.key|user[._-]?info|connection[._-]?string|key$/i;
/** Matches names that end in `key` without being one. */
const openName = /(?:primary|partition|partitioning|routing|sort|join)[._-]?key$/i;
/** Members whose own members are named like columns. */
const columnMaps = new Set([
  'columnNameToJsonKeyPathMap',
  'columnPartitionMap',
  'noDictionaryConfig',
  'partialUpsertStrategies',
  'prefixesToRename',
]);
/**
 * Matches the user info of URLs. In those of Azure's file systems, it is the name of the container.
 */
const userInfo = /\b(?!(?:abfs|wasb)s?:)([a-z][a-z0-9+._-]{0,31}:\/\/)[^/?#\s]*@/gi;
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

/**
 * Checks that a config to write has the secrets themselves, not their replacements as others than
 * admins read them.
 *
 * @throws INVALID_BODY when it has one
 */
export function assertSecretsKnown(config: object): void {
  assertKnown(config as JsonValue);
}

/** @param listName the name of the member that a list is the value of */
function assertKnown(value: JsonValue, listName?: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value as Readonly<Record<string, JsonValue>>)) {
    const name = listName ?? key;
    assertKnown(member, Array.isArray(member) ? name : undefined);
    if (typeof member !== 'string' || !member.includes(hidden)) continue;
    if ((member === hidden && isSecret(name)) || member.includes(`://${hidden}@`)) {
      throw new QuireError(
        'INVALID_BODY',
        `${name.slice(0, 100)} contains ${hidden}, which only replaces its secret for readers; expected the secret.`,
      );
    }
  }
}

function hideSecrets(value: JsonValue, isOfColumns = false): JsonValue {
  if (typeof value === 'string') return value.replace(userInfo, `$1${hidden}@`);
  if (Array.isArray(value)) return value.map((each: JsonValue) => hideSecrets(each));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      !isOfColumns && isSecret(name)
        ? withoutSecret(member)
        : hideSecrets(member, columnMaps.has(name)),
    ]),
  );
}

/** Returns a secret as others than admins read it; `true` and `null` are not secret. */
function withoutSecret(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => withoutSecret(each));
  return ['string', 'number', 'bigint'].includes(typeof value) ? hidden : hideSecrets(value);
}

function isSecret(name: string): boolean {
  return secretName.test(name) && !openName.test(name);
}
