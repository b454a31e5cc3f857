import type { Finding } from '@quire/core/table-engine';
import { distance } from 'fastest-levenshtein';

/** Reads a flat config key by key, and records its problems and the keys that were never read. */
export class ConfigKeys {
  readonly #values: ReadonlyMap<string, string>;
  readonly #known = new Set<string>();
  readonly #findings: Finding[] = [];

  constructor(config: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(config));
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** Returns the trimmed value of a key; undefined if it is missing or empty. */
  read(key: string): string | undefined {
    this.#known.add(key);
    const value = this.#values.get(key)?.trim();
    return value === '' ? undefined : value;
  }

  /** Returns the value of a key, which may be empty; undefined if it is missing. */
  readAllowingEmpty(key: string): string | undefined {
    this.#known.add(key);
    return this.#values.get(key)?.trim();
  }

  /** Returns the keys that match a pattern and have not been read yet. */
  unread(pattern: RegExp): readonly string[] {
    return [...this.#values.keys()].filter((key) => !this.#known.has(key) && pattern.test(key));
  }

  /** Returns the value of several keys with the same meaning, which must agree. */
  readAny(...keys: readonly string[]): string | undefined {
    const given = keys.flatMap((key) => {
      const value = this.read(key);
      return value === undefined ? [] : [{ key, value }];
    });
    const [first, ...others] = given;
    for (const { key, value } of others) {
      if (value !== first?.value) {
        this.refuse(
          key,
          `\`${key}\` contradicts \`${first?.key ?? ''}\`: expected one of them, or equal values.`,
        );
      }
    }
    return first?.value;
  }

  /**
   * Reads one of several values, in any case; undefined if the key is missing, or has another
   * value, which is recorded.
   */
  readChoice<Choice extends string>(
    choices: readonly Choice[],
    ...keys: readonly string[]
  ): Choice | undefined {
    const value = this.readAny(...keys);
    const choice = choices.find((each) => each.toLowerCase() === value?.toLowerCase());
    if (value !== undefined && choice === undefined) {
      this.refuse(
        keys[0] ?? '',
        `\`${keys[0] ?? ''}\` is ${JSON.stringify(value)}: expected ${choices.join(', ')}.`,
      );
    }
    return choice;
  }

  /** Records that a key is wrong. */
  refuse(key: string, message: string): void {
    this.#findings.push({
      path: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      code: 'STREAM_KEY',
      message,
      severity: 'error',
    });
  }

  /** Records every key that was not read and is not allowed. */
  refuseUnknown(lets: (key: string) => boolean, subject: string): void {
    for (const key of this.#values.keys()) {
      if (this.#known.has(key) || lets(key)) continue;
      const nearest = [...this.#known].toSorted(
        (one, other) => distance(key, one) - distance(key, other),
      )[0];
      const isNear = nearest !== undefined && distance(key, nearest) <= 3;
      this.refuse(
        key,
        `${subject} has no key \`${key}\`${isNear ? `: did you mean \`${nearest}\`?` : '.'}`,
      );
    }
  }
}
