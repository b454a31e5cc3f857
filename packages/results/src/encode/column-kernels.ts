import { type Data, DataType, type Field, Precision } from 'apache-arrow';
import { fractionDigitsOf } from '../arrow/column-type.ts';
import type { CellWriter } from './cell-writer.ts';
import type { ColumnKernel } from './column-kernel.ts';
import { int32View, offsetsOf, validityOf } from './column-reader.ts';
import { csvWriterOf } from './csv-cell.ts';
import { largeIntegerKernel, smallIntegerKernel } from './integer-kernel.ts';
import { jsonWriterOf } from './json-cell.ts';
import { booleanPlan, decimalPlan, doublePlan, floatPlan } from './number-plans.ts';
import { type CellPlan, plannedKernel } from './planned-kernel.ts';
import { scratchKernel } from './scratch-kernel.ts';
import { jsonStringKernel } from './string-kernel.ts';
import { datePlan, timestampPlan } from './time-plans.ts';

/** Chooses the kernel of a column. */
export type KernelOf = (field: Field, data: Data) => ColumnKernel;

/** JSON cells (contract section 2): the kinds that most columns are have kernels of their own. */
export const jsonKernelOf: KernelOf = (field, data) => {
  if (DataType.isUtf8(field.type)) return jsonStringKernel(data.values as Uint8Array, offsetsOf(data), validityOf(data));
  return scalarKernelOf(field, data, 'null', jsonWriterOf) ?? scratchKernel(jsonWriterOf(field, data));
};

/** CSV fields. */
export const csvKernelOf: KernelOf = (field, data) =>
  scalarKernelOf(field, data, '', csvWriterOf) ?? scratchKernel(csvWriterOf(field, data));

type WriterOf = (field: Field, data: Data) => CellWriter;

function scalarKernelOf(field: Field, data: Data, nullText: string, writerOf: WriterOf): ColumnKernel | undefined {
  const type = field.type as DataType;
  const isValid = validityOf(data);
  if (DataType.isInt(type)) {
    if (type.bitWidth === 64) return largeIntegerKernel(int32View(data), type.isSigned, isValid, nullText);
    return smallIntegerKernel(data.values as Int32Array, isValid, nullText);
  }
  const plan = planOf(type, data);
  if (plan === undefined) return undefined;
  const isQuoted = nullText !== '' && (DataType.isDecimal(type) || DataType.isDate(type) || DataType.isTimestamp(type));
  return plannedKernel(plan, { isQuoted, isValid, nullText, slow: writerOf(field, data) });
}

function planOf(type: DataType, data: Data): CellPlan | undefined {
  if (DataType.isBool(type)) return booleanPlan(data.values as Uint8Array, data.offset);
  if (DataType.isFloat(type)) {
    if (type.precision === Precision.DOUBLE) return doublePlan(data.values as Float64Array);
    return type.precision === Precision.SINGLE ? floatPlan(data.values as Float32Array) : undefined;
  }
  if (DataType.isDecimal(type)) {
    return type.scale >= 0 && type.scale <= 9 ? decimalPlan(int32View(data), type.bitWidth / 32, type.scale) : undefined;
  }
  if (DataType.isDate(type)) return type.unit === 0 ? datePlan(int32View(data)) : undefined;
  return DataType.isTimestamp(type) ? timestampPlan(int32View(data), fractionDigitsOf(type.unit)) : undefined;
}
