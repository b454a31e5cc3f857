/** The format of a CSV file. */
export interface CsvOptions {
  /** The separator of cells; by default a comma, or a tab if the name of the file ends in tsv. */
  readonly delimiter?: string | undefined;
  /** The names of the columns; by default, they are in the first line. */
  readonly header?: readonly string[] | undefined;
  /** If `header` is given: the first line is skipped. */
  readonly skipHeader?: boolean | undefined;
  /** The separator of the values of a list; by default there are no lists. */
  readonly listDelimiter?: string | undefined;
  /** Encloses cells that contain separators; by default `"`. */
  readonly quote?: string | undefined;
  /** Lines that start with it are skipped; by default there are no comments. */
  readonly comment?: string | undefined;
  /** Cells with this text have no value, in addition to empty ones. */
  readonly nullText?: string | undefined;
  /** Spaces around cells and quotes are removed; by default they belong to the cells (RFC 4180). */
  readonly trim?: boolean | undefined;
  /** The reason why files cannot be read with these options. */
  readonly problem?: string | undefined;
}

type BatchConfig = Readonly<Record<string, unknown>>;

const csvPropertyPrefix = 'recordReader.prop.';

/** The properties that are read, as Apache Pinot's CSVRecordReaderConfig has them. */
const readProperties = [
  'delimiter',
  'header',
  'skipHeader',
  'multiValueDelimiter',
  'multiValueDelimiterEnabled',
  'quoteCharacter',
  'commentMarker',
  'nullStringValue',
  'ignoreSurroundingSpaces',
] as const;

/** Other properties of Apache Pinot; only these values, the defaults here, are possible. */
const fixedProperties: Readonly<Record<string, readonly string[]>> = {
  fileFormat: ['default', 'rfc4180', 'excel'],
  ignoreEmptyLines: ['true'],
  skipUnParseableLines: ['false'],
};

const csvProperties: readonly string[] = [...readProperties, ...Object.keys(fixedProperties)];

/** Returns the complete name of a property that was written without its prefix. */
export function csvPropertyOf(name: string): string | undefined {
  const property = csvProperties.find((each) => each.toLowerCase() === name.toLowerCase());
  return property === undefined ? undefined : `${csvPropertyPrefix}${property}`;
}

/** A sentence about the delimiter of a file whose rows have these fields; undefined if unlikely. */
export function delimiterHint([first = '', ...others]: readonly string[]): string | undefined {
  const [delimiter] = others.length === 0 ? (/[;|,\t]/.exec(first) ?? []) : [];
  if (delimiter === undefined) return undefined;
  return `Perhaps ${csvPropertyPrefix}delimiter should be '${delimiter === '\t' ? '\\t' : delimiter}'.`;
}

/** Returns the CSV options of a batch config. */
export function csvOptionsOf(batchConfig: BatchConfig): CsvOptions {
  const textIn = (property: (typeof readProperties)[number]): string | undefined =>
    textOf(batchConfig, `${csvPropertyPrefix}${property}`);
  const header = textIn('header');
  const delimiter = textIn('delimiter');
  const hasLists = textIn('multiValueDelimiterEnabled')?.toLowerCase() !== 'false';
  return {
    delimiter: delimiter === '\\t' ? '\t' : delimiter,
    listDelimiter: hasLists ? textIn('multiValueDelimiter') : undefined,
    header: headerOf(header, delimiter),
    skipHeader: textIn('skipHeader')?.toLowerCase() === 'true',
    quote: textIn('quoteCharacter'),
    comment: textIn('commentMarker'),
    nullText: textIn('nullStringValue'),
    trim: textIn('ignoreSurroundingSpaces')?.toLowerCase() === 'true',
    problem: problemIn(batchConfig) ?? duplicateIn(headerOf(header, delimiter)),
  };
}

function headerOf(header: string | undefined, delimiter = ','): readonly string[] | undefined {
  return header?.split(delimiter).map((name) => name.trim());
}

/** Returns the problem of a header that names a column twice: only one would be read. */
function duplicateIn(names: readonly string[] = []): string | undefined {
  const earlier = new Set<string>();
  for (const name of names) {
    if (earlier.has(name)) {
      return `${csvPropertyPrefix}header has the column ‘${name.slice(0, 60)}’ more than once.`;
    }
    earlier.add(name);
  }
  return undefined;
}

const words: Readonly<Record<string, readonly string[]>> = {
  ...fixedProperties,
  skipHeader: ['true', 'false'],
  multiValueDelimiterEnabled: ['true', 'false'],
  ignoreSurroundingSpaces: ['true', 'false'],
};
const characters: readonly string[] = ['quoteCharacter', 'commentMarker'];

/** A property that is not read would change the rows: it is refused instead of ignored. */
function problemIn(batchConfig: BatchConfig): string | undefined {
  for (const [member, value] of Object.entries(batchConfig)) {
    if (!member.startsWith(csvPropertyPrefix)) continue;
    const name = member.slice(csvPropertyPrefix.length);
    const shown = `${member.slice(0, 60)} = ${String(value).slice(0, 40)}`;
    if (!csvProperties.includes(name)) {
      return `${shown}: files of text have no such option; expected ${csvProperties.join(', ')}.`;
    }
    const expected = words[name];
    if (expected !== undefined && !expected.includes(String(value).toLowerCase())) {
      return `${shown}: expected ${expected.join(' or ')}.`;
    }
    if (characters.includes(name) && String(value).length !== 1) {
      return `${shown}: expected one character.`;
    }
  }
  return undefined;
}

/** Returns a member of a batch config that is a non-empty text. */
export function textOf(batchConfig: BatchConfig, member: string): string | undefined {
  const value = Object.hasOwn(batchConfig, member) ? batchConfig[member] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
