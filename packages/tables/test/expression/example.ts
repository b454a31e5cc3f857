import type { SourceValue } from '../../src/row.ts';

/** An expression and what it gives on `exampleRow`. */
export type Example = readonly [expression: string, value: SourceValue];
