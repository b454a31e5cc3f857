import { type Data, DataType, type Field } from 'apache-arrow';
import type { ColumnKernel } from './column-kernel.ts';
import { int32View, offsetsOf, validityOf } from './column-reader.ts';
import { csvWriterOf } from './csv-cell.ts';
import { largeIntegerKernel, smallIntegerKernel } from './integer-kernel.ts';
import { jsonWriterOf } from './json-cell.ts';
import { scratchKernel } from './scratch-kernel.ts';
import { jsonStringKernel } from './string-kernel.ts';

/** Chooses the kernel of a column. */
export type KernelOf = (field: Field, data: Data) => ColumnKernel;

/** JSON cells (contract section 2): integers and text, which most columns are, have kernels of their own. */
export const jsonKernelOf: KernelOf = (field, data) => {
  const type = field.type as DataType;
  if (DataType.isUtf8(type)) return jsonStringKernel(data.values as Uint8Array, offsetsOf(data), validityOf(data));
  return integerKernelOf(type, data, 'null') ?? scratchKernel(jsonWriterOf(field, data));
};

/** CSV fields. */
export const csvKernelOf: KernelOf = (field, data) =>
  integerKernelOf(field.type as DataType, data, '') ?? scratchKernel(csvWriterOf(field, data));

function integerKernelOf(type: DataType, data: Data, nullText: string): ColumnKernel | undefined {
  if (!DataType.isInt(type)) return undefined;
  if (type.bitWidth === 64) return largeIntegerKernel(int32View(data), type.isSigned, validityOf(data), nullText);
  return smallIntegerKernel(data.values as Int32Array, validityOf(data), nullText);
}
