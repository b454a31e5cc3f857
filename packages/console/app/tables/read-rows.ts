/** Rows that were dropped or pasted, and the error of the unreadable part. */
export interface ReadRows {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
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

function readArray(text: string, rowsMax: number): ReadRows {
  try {
    const values = JSON.parse(text) as readonly unknown[];
    const rows = values.filter((value) => isRow(value)).slice(0, rowsMax);
    return {
      rows,
      lines: rows.map((_row, index) => index + 1),
      ...(rows.length === 0 && { problem: 'The array contains no objects.' }),
    };
  } catch (error) {
    return { rows: [], lines: [], problem: `This is not JSON: ${(error as Error).message}` };
  }
}

/** Parses an object that spans several lines; undefined when the text is anything else. */
function readOneObject(text: string): ReadRows | undefined {
  if (!text.trim().includes('\n')) return undefined;
  try {
    return { rows: [JSON.parse(text) as Readonly<Record<string, unknown>>], lines: [1] };
  } catch {
    return undefined;
  }
}

function readLines(text: string, rowsMax: number): ReadRows {
  const rows: Readonly<Record<string, unknown>>[] = [];
  const lines: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || rows.length >= rowsMax) continue;
    try {
      const value: unknown = JSON.parse(line);
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

/** Matches the values of a column of numbers: those that lose no digits. */
const numberPattern = /^$|^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

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
  const isNumber = head.fields.map((_name, column) =>
    rest.every(({ fields: values }) => numberPattern.test(values[column] ?? '')),
  );
  const valueOf = (text: string | undefined, column: number): string | number | null => {
    if (text === undefined || text === '') return null;
    return isNumber[column] === true ? Number(text) : text;
  };
  const rows = rest.map(({ fields: values }) =>
    Object.fromEntries(head.fields.map((name, column) => [name, valueOf(values[column], column)])),
  );
  return { rows, lines: rest.map((record) => record.line) };
}

function isRow(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
