import { Data, RecordBatch, Schema, Struct } from 'apache-arrow';
import { type BytesText, columnBuilder } from './column-builder.ts';
import { JsonBytes } from './json-bytes.ts';
import type { PinotColumn } from './pinot-column.ts';

const [openBracket, closeBracket, comma] = [0x5b, 0x5d, 0x2c];

/**
 * A batch of an answer. Arrow's own constructor would give two columns that share a name each
 * other's type.
 */
class AnswerBatch extends RecordBatch {
  declare readonly schema: Schema;
  declare readonly data: Data<Struct>;

  constructor(schema: Schema, rowType: Struct, rowCount: number, columns: Data[]) {
    super(new Schema([]), new Data(new Struct([]), 0, rowCount, 0, {}));
    this.schema = schema;
    this.data = new Data(rowType, 0, rowCount, 0, {}, columns);
  }
}

/** Makes record batches of rows that came as JSON. */
export class RowReader {
  readonly schema: Schema;
  readonly #rowType: Struct;
  readonly #bytesText: BytesText;
  /** The rows of the largest batch so far: columns have memory for as many ahead. */
  #rowCountMax = 256;

  constructor(columns: readonly PinotColumn[], bytesText: BytesText) {
    const fields = columns.map(({ field }) => field);
    this.schema = new Schema(fields);
    this.#rowType = new Struct(fields);
    this.#bytesText = bytesText;
  }

  /**
   * One batch of the rows `[…],[…]` in `bytes` from `start` to `end`.
   *
   * @throws UNEXPECTED_RESPONSE when a cell is not what its column says
   */
  read(bytes: Buffer, start: number, end: number): RecordBatch {
    const builders = this.schema.fields.map((field) =>
      columnBuilder(field, this.#bytesText, this.#rowCountMax),
    );
    const json = new JsonBytes(bytes, start, end);
    let rowCount = 0;
    do {
      if (!json.take(openBracket)) throw json.unexpected('a row');
      let isFirst = true;
      for (const builder of builders) {
        if (!isFirst && !json.take(comma)) throw json.unexpected("','");
        builder.append(json);
        isFirst = false;
      }
      if (!json.take(closeBracket)) throw json.unexpected("']'");
      rowCount += 1;
    } while (json.take(comma));
    this.#rowCountMax = Math.max(this.#rowCountMax, rowCount);
    return new AnswerBatch(
      this.schema,
      this.#rowType,
      rowCount,
      builders.map((builder) => builder.finish()),
    );
  }
}
