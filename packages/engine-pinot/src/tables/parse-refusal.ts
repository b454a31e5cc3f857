/** A parsed message of Apache Pinot about a document that it refuses. */
export interface ParsedRefusal {
  /** JSON pointer to the subject; empty if the message does not name it. */
  readonly path: string;
  /** The message without the document, the position in it and the names of classes. */
  readonly message: string;
}

/**
 * Matches the document that a message repeats: `Invalid schema config json string: {…}. Reason: `.
 */
const repeated = /^Invalid [\w ]*json string: [^]*?\. Reason: /;
/** Matches the position of Jackson in its input. */
const place = /\s*at \[Source: [^]*?line: \d+, column: \d+\]/g;
/** Matches the members on the path to a value: `org.….TableConfig["x"]->java.util.ArrayList[0]`. */
const chain = /\s*\(through reference chain: ([^]*?)\)\s*$/;
const className = /\b(?:[a-z]\w*\.)+(?:\w+\$)*(\w+)/g;

/** Parses the message of a refusal; the result contains nothing of the document that was sent. */
export function parseRefusal(words: string): ParsedRefusal {
  const [, members = ''] = chain.exec(words) ?? [];
  const path = [...members.matchAll(/\["([^"]*)"\]|\[(\d+)\]/g)]
    .map(
      ([, name, index]) => `/${(name ?? index ?? '').replaceAll('~', '~0').replaceAll('/', '~1')}`,
    )
    .join('');
  const message = words
    .replace(repeated, '')
    .replace(chain, '')
    .replace(place, '')
    .replaceAll(/`([^`]*)`/g, (_quoted, name: string) => `\`${name.replaceAll(className, '$1')}\``)
    .trim();
  return { path, message };
}
