import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Adds `key=value` to the earlier pairs. */
export function collectPair(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const end = text.indexOf('=');
  if (end < 1) throw new InvalidArgumentError('Expected a key and a value with = between them.');
  return { ...before, [text.slice(0, end)]: text.slice(end + 1) };
}
