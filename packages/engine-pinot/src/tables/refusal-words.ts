/** What Apache Pinot says of a document that it refuses, taken apart. */
export interface RefusalWords {
  /** JSON pointer to what it is about; empty where the words do not say it. */
  readonly path: string;
  /** The words without the document, the place in it and the names of classes. */
  readonly message: string;
}

/** The document that a message repeats: `Invalid schema config json string: {…}. Reason: `. */
const repeated = /^Invalid [\w ]*json string: [^]*?\. Reason: /;
/** Where Jackson was in the text that it read. */
const place = /\s*at \[Source: [^]*?line: \d+, column: \d+\]/g;
/** The members on the way to a value: `org.….TableConfig["x"]->java.util.ArrayList[0]`. */
const chain = /\s*\(through reference chain: ([^]*?)\)\s*$/;
const className = /\b(?:[a-z]\w*\.)+(?:\w+\$)*(\w+)/g;

/** Takes apart the words of a refusal; nothing of the document that was sent is in them. */
export function parseRefusal(words: string): RefusalWords {
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
