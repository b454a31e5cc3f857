import { distance } from 'fastest-levenshtein';
import { fixedSettings, type NamedSetting, namedSettings, nearest } from './known-keys.ts';

/**
 * Returns the environment variable of a key: upper case, with `_` for every dot and dash. Capitals
 * within a word have no effect: `engine.broker.client.queryPort` is ENGINE_BROKER_CLIENT_QUERYPORT.
 */
export function variableOf(key: string): string {
  return key.toUpperCase().replaceAll(/[.-]/g, '_');
}

interface EnvironmentSetting {
  readonly key: string;
  readonly text: string;
  readonly variable: string;
}

interface EnvironmentReading {
  readonly settings: readonly EnvironmentSetting[];
  /** Variables in Quire's namespace that match no setting. */
  readonly strays: readonly string[];
}

const keyByVariable = new Map(fixedSettings.map(({ row }) => [variableOf(row.key), row.key]));
const candidates = [
  ...keyByVariable.keys(),
  ...namedSettings.map(({ row }) => variableOf(row.key)),
];

/**
 * Finds the settings in an environment. An empty variable counts as not set. A name within a
 * variable is the one in `keysInUse` with the same variable, or else the lower-case spelling:
 * ENGINE_TABLE_MY_CARS_PATH is `engine.table.my_cars.path`.
 */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  keysInUse: Iterable<string>,
): EnvironmentReading {
  const keysByVariable = new Map([...keysInUse].map((key) => [variableOf(key), key]));
  const settings: EnvironmentSetting[] = [];
  const strays: string[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || text === '' || isServiceLink(variable, text)) continue;
    const key =
      keyByVariable.get(variable) ??
      keysByVariable.get(variable) ??
      namedKeyOf(variable, keysByVariable);
    if (key !== undefined) settings.push({ key, text, variable });
    else if (isMeantForUs(variable)) strays.push(variable);
  }
  return { settings, strays };
}

/** Returns the known variable with the fewest edits from an unknown one. */
export function nearestVariable(variable: string): string {
  return nearest(variable, candidates);
}

function namedKeyOf(
  variable: string,
  keysByVariable: ReadonlyMap<string, string>,
): string | undefined {
  for (const { prefix, suffix, group } of namedSettings) {
    const [start, end] = [variableOf(prefix), variableOf(suffix)];
    if (
      !variable.startsWith(start) ||
      !variable.endsWith(end) ||
      variable.length <= start.length + end.length
    ) {
      continue;
    }
    const spelling = variable.slice(start.length, variable.length - end.length);
    return prefix + (nameInUse(spelling, group, keysByVariable) ?? spelling.toLowerCase()) + suffix;
  }
  return undefined;
}

/**
 * Returns the name that another setting of the group already uses, so that a variable adds to
 * `My-Cars` and does not create `my_cars`.
 */
function nameInUse(
  spelling: string,
  group: NamedSetting['group'],
  keysByVariable: ReadonlyMap<string, string>,
): string | undefined {
  for (const { prefix, suffix, group: itsGroup } of namedSettings) {
    const key =
      itsGroup === group
        ? keysByVariable.get(variableOf(prefix) + spelling + variableOf(suffix))
        : undefined;
    if (key !== undefined) return key.slice(prefix.length, key.length - suffix.length);
  }
  return undefined;
}

/**
 * Kubernetes gives every container variables for the services around it: a service called `proxy`
 * creates PROXY_PORT=tcp://10.0.0.1:8080 and PROXY_SERVICE_HOST, which are not settings.
 */
function isServiceLink(variable: string, text: string): boolean {
  return (
    /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(
      variable,
    ) || /^(?:tcp|udp|sctp):\/\//.test(text)
  );
}

/**
 * The first two words of all longer keys, such as ENGINE_BROKER_. Other software may use ENGINE_,
 * CONTROLLER_ and PROXY_.
 */
const namespaces = new Set(
  [...fixedSettings, ...namedSettings]
    .map(({ row }) => row.key.split('.'))
    .filter((segments) => segments.length > 2)
    .map((segments) => `${variableOf(segments.slice(0, 2).join('.'))}_`),
);

/** A variable with at most this many edits from one of a setting is taken for a misspelling. */
const editsMax = 2;

/** Two texts differ by at least as many edits as characters, so that few are compared. */
function isMeantForUs(variable: string): boolean {
  return (
    [...namespaces].some((namespace) => variable.startsWith(namespace)) ||
    candidates.some(
      (candidate) =>
        Math.abs(candidate.length - variable.length) <= editsMax &&
        distance(variable, candidate) <= editsMax,
    )
  );
}
