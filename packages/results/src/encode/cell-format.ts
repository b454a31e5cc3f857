import { type Data, DataType, type Field } from 'apache-arrow';
import { isJsonListField, isUuidField } from '../column-data-types.ts';
import type { CellWriter } from './cell-writer.ts';
import { csvWriterOf, loneNull } from './csv-cell.ts';
import { fixedKindOf } from './fixed-kind.ts';
import { jsonWriterOf } from './json-cell.ts';
import { kindCsvText, kindHexOfWidth, kindHexText, kindJsonText } from './row-writer-layout.ts';
import {
  booleanColumn,
  fixedColumn,
  jsonListColumn,
  preformattedColumn,
  type WriterColumn,
  textColumn,
} from './writer-column.ts';
import { writeAscii } from './write-string.ts';

/** The text format of the cells of rows. */
export interface CellFormat {
  readonly isJson: boolean;
  /** The text of a null; up to four ASCII characters. */
  readonly nullText: string;
  /**
   * Compiles the writer of single cells, for kinds that the row writer does not support and for
   * rows too large for its memory.
   */
  readonly writerOf: (field: Field, data: Data) => CellWriter;
}

/** JSON cells (CONTRACT.md section 2). */
export const jsonFormat: CellFormat = { isJson: true, nullText: 'null', writerOf: jsonWriterOf };

/**
 * Returns the format of CSV fields.
 *
 * A null is empty. In a single column, that would be an empty line, which readers skip. There it is
 * empty text within quotes, or, if that is a value, `\N`, as databases write and read it; the text
 * `\N` is then quoted.
 */
export function csvFormat(fields: readonly Field[]): CellFormat {
  const nullText =
    fields.length !== 1
      ? ''
      : mayBeEmpty(fields[0]?.type as DataType | undefined)
        ? loneNull
        : '""';
  return { isJson: false, nullText, writerOf: (field, data) => csvWriterOf(field, data, nullText) };
}

/** Reports whether values of the type can be empty text. */
function mayBeEmpty(type: DataType | undefined): boolean {
  return (
    DataType.isUtf8(type) ||
    DataType.isLargeUtf8(type) ||
    DataType.isBinary(type) ||
    DataType.isLargeBinary(type)
  );
}

/** The maximum expansion of one byte: a \u00XX escape. */
const jsonExpansion = 6;
const csvExpansion = 2;

/** Chooses how the row writer handles a column. */
export function writerColumnOf(field: Field, data: Data, format: CellFormat): WriterColumn {
  return (
    scalarColumnOf(field, data, format) ??
    listColumnOf(field, data, format) ??
    preformattedColumn(data, format.nullText, cellWriterOf(field, data, format))
  );
}

function cellWriterOf(field: Field, data: Data, { nullText, writerOf }: CellFormat): CellWriter {
  if (!DataType.isNull(field.type)) return writerOf(field, data);
  return {
    widthMax: 4,
    widthOf: undefined,
    write: (bytes, position) => writeAscii(bytes, position, nullText),
  };
}

function scalarColumnOf(
  field: Field,
  data: Data,
  { isJson, nullText }: CellFormat,
): WriterColumn | undefined {
  const type = field.type as DataType;
  const plain = { isQuoted: false, nullText };
  const quoted = { isQuoted: isJson, nullText };
  if (DataType.isBool(type)) return booleanColumn(data, plain);
  const fixed = fixedKindOf(type);
  if (fixed !== undefined) {
    return fixedColumn(
      data,
      { ...fixed, isQuoted: isJson && fixed.isQuoted, nullText },
      fixed.textBytesMax,
    );
  }
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) {
    if (isJson) return textColumn(data, { ...plain, kind: kindJsonText }, jsonExpansion);
    // The row writer would not quote the text that looks like a null.
    const { buffer, byteOffset, byteLength } = data.values as Uint8Array<ArrayBuffer>;
    if (nullText === loneNull && Buffer.from(buffer, byteOffset, byteLength).includes(loneNull)) {
      return undefined;
    }
    return textColumn(data, { ...plain, kind: kindCsvText }, csvExpansion);
  }
  // In CSV, bytes may be empty text, which is quoted.
  if (!isJson) return undefined;
  if (DataType.isBinary(type) || DataType.isLargeBinary(type)) {
    return textColumn(data, { ...quoted, kind: kindHexText }, 2);
  }
  if (!DataType.isFixedSizeBinary(type) || isUuidField(field)) return undefined;
  return fixedColumn(
    data,
    { ...quoted, kind: kindHexOfWidth, widthBytes: type.byteWidth },
    type.byteWidth * 2 + 2,
  );
}

function listColumnOf(field: Field, data: Data, format: CellFormat): WriterColumn | undefined {
  const type = field.type as DataType;
  // In CSV, the JSON of a list is text, which may need quotes.
  if (!format.isJson) return undefined;
  const itemField = (type.children as readonly Field[] | undefined)?.[0];
  const items = data.children[0];
  if (itemField === undefined || items === undefined || isJsonListField(field)) return undefined;
  if (DataType.isFixedSizeList(type)) {
    return jsonListColumn(
      data,
      format.nullText,
      writerColumnOf(itemField, items, format),
      type.listSize,
    );
  }
  if (!DataType.isList(type) && !DataType.isLargeList(type)) return undefined;
  return jsonListColumn(data, format.nullText, writerColumnOf(itemField, items, format), undefined);
}
