import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { refer } from './reference.ts';

/**
 * Column names and types of a result (SPECIFICATION.md section 2.6); the types are those of
 * CONTRACT.md section 2.
 */
export const DataSchema = Type.Object(
  {
    columnNames: Type.Array(Type.String(), {
      description: 'Column names, in the order of the cells.',
    }),
    columnDataTypes: Type.Array(Type.String(), {
      description:
        'INT, LONG, FLOAT, DOUBLE, BOOLEAN, TIMESTAMP, STRING, BYTES, each also followed by _ARRAY, or BIG_DECIMAL, JSON, MAP.',
    }),
  },
  { $id: 'DataSchema', description: 'Names and types of the columns.' },
);

/**
 * Rows with their columns (SPECIFICATION.md section 2.6). Integers keep all their digits on the
 * wire: parse them with a lossless parser.
 */
export const ResultTable = Type.Object(
  {
    dataSchema: refer(DataSchema),
    rows: Type.Array(Type.Array(Type.Unknown()), {
      description:
        'One array of cells for each row. LONG has 64 bits, written in full; NaN, Infinity and -Infinity, BIG_DECIMAL, TIMESTAMP and BYTES are strings.',
    }),
  },
  { $id: 'ResultTable', description: 'Rows with the names and types of their columns.' },
);

export type DataSchema = Static<typeof DataSchema>;
export type ResultTable = Static<typeof ResultTable>;
