import { Data, type DataType } from 'apache-arrow';
import type { Validity } from './vector-rows.ts';

const noBytes = new Uint8Array(0);

interface ArrowBuffers {
  readonly valueOffsets?: Int32Array;
  readonly values?: ArrayBufferView;
  readonly children?: Data[];
}

/** Creates Arrow data over buffers that already have Arrow's layout, without copies or checks. */
export function arrowData(
  type: DataType,
  rowCount: number,
  validity: Validity,
  buffers: ArrowBuffers,
): Data {
  // The keys are Arrow's buffer types: offsets, values, validity.
  const parts = { 0: buffers.valueOffsets, 1: buffers.values, 2: validity.bitmap ?? noBytes };
  return new Data(type, 0, rowCount, validity.nullCount, parts, buffers.children);
}
