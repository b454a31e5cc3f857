import { expressionFailed } from '../language/expression-error.ts';
import { Decimal } from './decimal.ts';

/** What a geometry is, by the low seven bits of its first byte. */
const kinds = ['a point', 'points', 'a line', 'lines', 'a polygon', 'polygons', 'a collection'];
const pointByteCount = 17;
const geographyBit = 0x80;

/**
 * A point as the engine keeps it in a BYTES column: a byte that tells the kind (0) and, by its high bit, whether it lies on a sphere;
 * then x and y as big-endian doubles.
 */
export function encodePoint(x: number, y: number, isGeography: boolean): Uint8Array {
  const encoded = Buffer.alloc(pointByteCount);
  encoded.writeUInt8(isGeography ? geographyBit : 0, 0);
  encoded.writeDoubleBE(x, 1);
  encoded.writeDoubleBE(y, 9);
  return new Uint8Array(encoded);
}

/** The same geometry on a sphere, or on a plane. @throws EXPRESSION_FAILED when it is not one, or a collection of several kinds */
export function withGeography(geometry: Uint8Array, isGeography: boolean): Uint8Array {
  const kind = kindOf(geometry);
  // Each part of a collection has a first byte of its own.
  if (kind === 6) throw expressionFailed('A collection of geometries cannot be moved to a sphere or a plane.');
  const changed = Uint8Array.from(geometry);
  changed[0] = kind | (isGeography ? geographyBit : 0);
  return changed;
}

/** A point as well-known text. @throws EXPRESSION_FAILED when the bytes are not point */
export function pointText(geometry: Uint8Array): string {
  const kind = kindOf(geometry);
  if (kind !== 0) throw expressionFailed(`Expected a point, found ${kinds[kind]}.`);
  const view = new DataView(geometry.buffer, geometry.byteOffset, geometry.byteLength);
  const [x, y] = [view.getFloat64(1), view.getFloat64(9)];
  return Number.isNaN(x) || Number.isNaN(y) ? 'POINT EMPTY' : `POINT (${coordinateText(x)} ${coordinateText(y)})`;
}

function kindOf(geometry: Uint8Array): number {
  const kind = (geometry[0] ?? 0xff) & ~geographyBit;
  const isWhole = kind === 0 ? geometry.length === pointByteCount : geometry.length >= 5 || kind === 6;
  if (kind >= kinds.length || !isWhole) {
    throw expressionFailed(`${geometry.length} bytes are not geometry as the engine keeps it.`);
  }
  return kind;
}

function coordinateText(value: number): string {
  return Number.isFinite(value) ? Decimal.parse(String(value)).toPlainString() : String(value);
}
