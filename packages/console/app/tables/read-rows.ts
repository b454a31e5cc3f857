import { parseLosslessJson } from '@quire/core/portable';

type Row = Readonly<Record<string, unknown>>;

/** Rows that were dropped or pasted, and the error of the unreadable part. */
export interface ReadRows {
  readonly rows: readonly Row[];
  /** The line of each row's start, counted from 1. */
  readonly lines: readonly number[];
  readonly problem?: string;
}

/** The number of rows of a preview; more would show nothing new. */
const previewRowsMax = 500;

/**
 * Reads the first rows, as JSON lines, as a JSON array, or as CSV with a header. Never throws:
 * errors are returned as a sentence.
 */
export function readRows(
  text: string,
  {
    rowsMax = previewRowsMax,
    delimiter = ',',
  }: { readonly rowsMax?: number; readonly delimiter?: string | undefined } = {},
): ReadRows {
  if (text.trim() === '') return { rows: [], lines: [] };
  if (isCsv(text)) return readCsv(text, rowsMax, delimiter);
  return text.trimStart().startsWith('[')
    ? readArray(text, rowsMax)
    : (readOneObject(text) ?? readLines(text, rowsMax));
}

/** Reports whether the rows of a text are read as CSV. */
export function isCsv(text: string): boolean {
  return /^\s*[^\s[{]/.test(text);
}

/** A file that a pasted text becomes. */
export interface PastedFile {
  readonly name: string;
  readonly content: Blob;
  /** Separates the cells of CSV. */
  readonly delimiter: string | undefined;
}

/**
 * Returns a pasted text as a file to load. The text is unchanged: the server reads it like any
 * file, with all digits and columns.
 *
 * @throws Error with a sentence when one of its rows cannot be read, because the server would load
 *   the others
 */
export function pastedFile(text: string, delimiter: string | undefined): PastedFile {
  const { problem } = readRows(text, { rowsMax: Infinity, delimiter });
  if (problem !== undefined) throw new Error(`No row was loaded: ${problem}`);
  const name = isCsv(text) ? 'rows.csv' : 'rows.json';
  return { name, content: new Blob([text]), delimiter };
}

function readArray(text: string, rowsMax: number): ReadRows {
  try {
    const values = parseLosslessJson(text) as readonly unknown[];
    const found = [...values.entries()].filter((entry): entry is [number, Row] => isRow(entry[1]));
    const other = values.findIndex((value) => !isRow(value));
    const read = found.slice(0, rowsMax);
    return {
      rows: read.map(([, row]) => row),
      lines: read.map(([index]) => index + 1),
      ...(found.length === 0
        ? { problem: 'The array contains no objects.' }
        : other >= 0 && { problem: `Item ${other + 1} of the array is not an object.` }),
    };
  } catch (error) {
    return { rows: [], lines: [], problem: `This is not JSON: ${(error as Error).message}` };
  }
}

/** Parses an object that spans several lines; undefined when the text is anything else. */
function readOneObject(text: string): ReadRows | undefined {
  if (!text.trim().includes('\n')) return undefined;
  try {
    return { rows: [parseLosslessJson(text) as Row], lines: [1] };
  } catch {
    return undefined;
  }
}

function readLines(text: string, rowsMax: number): ReadRows {
  const rows: Row[] = [];
  const lines: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || rows.length >= rowsMax) continue;
    try {
      const value: unknown = parseLosslessJson(line);
      if (!isRow(value)) return { rows, lines, problem: `Line ${index + 1} is not an object.` };
      rows.push(value);
      lines.push(index + 1);
    } catch (error) {
      return { rows, lines, problem: `Line ${index + 1} is not JSON: ${(error as Error).message}` };
    }
  }
  return { rows, lines };
}

const unreadable =
  'No rows can be read: expected JSON objects on lines of their own or in an array, or CSV with a header line.';

const numberPattern = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;
/** A number keeps this many digits, whichever they are. */
const exactDigits = 15;

/** Reports whether a number keeps all digits of a cell; it also keeps an empty one, as null. */
function isExactNumber(cell: string): boolean {
  if (cell === '') return true;
  if (!numberPattern.test(cell)) return false;
  const digits = cell.replace(/^[-0.]+/, '').replace('.', '');
  const significant = cell.includes('.') ? digits.replace(/0+$/, '') : digits;
  return significant.length <= exactDigits;
}

/**
 * RFC 4180: fields in quotes may contain delimiters, line breaks and doubled quotes. An empty field
 * is null, and a column of numbers only contains numbers.
 */
function readCsv(text: string, rowsMax: number, delimiter: string): ReadRows {
  const records: { readonly fields: readonly string[]; readonly line: number }[] = [];
  let [fields, field, isQuoted, line, startLine]: [string[], string, boolean, number, number] = [
    [],
    '',
    false,
    1,
    1,
  ];
  const endRecord = (): void => {
    fields.push(field);
    if (fields.length > 1 || field !== '') records.push({ fields, line: startLine });
    [fields, field, startLine] = [[], '', line];
  };
  for (let index = 0; index < text.length && records.length <= rowsMax; index += 1) {
    const sign = text[index];
    if (sign === '\n') line += 1;
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[index + 1] === '"') {
        field += '"';
        index += 1;
      } else isQuoted = false;
    } else if (sign === '"' && field === '') isQuoted = true;
    else if (sign === delimiter) {
      fields.push(field);
      field = '';
    } else if (sign === '\n') endRecord();
    else if (sign !== '\r') field += sign;
  }
  if (field !== '' || fields.length > 0) endRecord();
  const [head, ...rest] = records;
  if (head === undefined || rest.length === 0) {
    return { rows: [], lines: [], problem: unreadable };
  }
  const names = columnNames(head.fields);
  const isNumber = names.map((_name, column) =>
    rest.every(({ fields: values }) => isExactNumber(values[column] ?? '')),
  );
  const valueOf = (text: string | undefined, column: number): string | number | null => {
    if (text === undefined || text === '') return null;
    return isNumber[column] === true ? Number(text) : text;
  };
  const rows = rest.map(({ fields: values }) =>
    Object.fromEntries(names.map((name, column) => [name, valueOf(values[column], column)])),
  );
  return { rows, lines: rest.map((record) => record.line) };
}

/** Returns the names that the server gives to the columns of a header when it loads the text. */
function columnNames(header: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return header.map((cell, index) => {
    const name = cell.trim() === '' ? `column_${index + 1}` : cell.trim();
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    taken.add(free);
    return free;
  });
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
