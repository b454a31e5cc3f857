/** Types of columns that hold one value or several of a kind. */
export const plainDataTypes = [
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BIG_DECIMAL',
  'BOOLEAN',
  'TIMESTAMP',
  'STRING',
  'JSON',
  'BYTES',
] as const;

/** Types of columns whose values have parts. */
export const complexDataTypes = ['STRUCT', 'MAP', 'LIST'] as const;

/** Every type of a column (SPECIFICATION.md section 2.5; the values are those of the open peer). */
export const dataTypes = [...plainDataTypes, ...complexDataTypes, 'UNKNOWN'] as const;

export type DataType = (typeof dataTypes)[number];
