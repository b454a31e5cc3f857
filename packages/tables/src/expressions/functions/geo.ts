import { expressionFailed } from '../values/expression-error.ts';
import { toBoolean, toDouble, toLong } from '../values/convert.ts';
import {
  bytes,
  define,
  double,
  doubles,
  type FunctionDefinition,
  int,
  object,
  text,
} from './function-definition.ts';
import { Decimal, type PresentValue, Timestamp, type Value } from '../values/value.ts';

/** The kinds of geometries, by the low seven bits of their first byte. */
const kinds = ['a point', 'points', 'a line', 'lines', 'a polygon', 'polygons', 'a collection'];
const coordinateByteCount = 16;
const pointByteCount = 1 + coordinateByteCount;
const geographyBit = 0x80;

/**
 * Encodes a point as Apache Pinot stores it in a BYTES column: a byte with the kind (0) and, in its
 * high bit, whether it is on a sphere; then x and y as big-endian doubles.
 */
function encodePoint(x: number, y: number, isGeography: boolean): Uint8Array {
  const encoded = Buffer.alloc(pointByteCount);
  encoded.writeUInt8(isGeography ? geographyBit : 0, 0);
  encoded.writeDoubleBE(x, 1);
  encoded.writeDoubleBE(y, 9);
  return new Uint8Array(encoded);
}

/**
 * Returns the same geometry on a sphere or on a plane, without trailing bytes. @throws
 * EXPRESSION_FAILED when it is not one, or a collection of several kinds
 */
function withGeography(geometry: Uint8Array, isGeography: boolean): Uint8Array {
  const changed = geometry.slice(0, byteCountOf(geometry));
  changed[0] = kindOf(geometry) | (isGeography ? geographyBit : 0);
  return changed;
}

/** Formats a point as well-known text. @throws EXPRESSION_FAILED when the bytes are not a point */
function pointText(geometry: Uint8Array): string {
  const kind = kindOf(geometry);
  if (kind !== 0) throw expressionFailed(`Expected a point, found ${kinds[kind]}.`);
  const view = new DataView(geometry.buffer, geometry.byteOffset, geometry.byteLength);
  const [x, y] = [view.getFloat64(1), view.getFloat64(9)];
  return Number.isNaN(x) || Number.isNaN(y)
    ? 'POINT EMPTY'
    : `POINT (${coordinateText(x)} ${coordinateText(y)})`;
}

function kindOf(geometry: Uint8Array): number {
  const kind = (geometry[0] ?? 0xff) & ~geographyBit;
  if (kind >= kinds.length || byteCountOf(geometry) > geometry.length) throw noGeometry(geometry);
  return kind;
}

/**
 * Returns the length of a geometry in bytes. Its points and parts are preceded by their counts, in
 * four bytes each.
 */
function byteCountOf(geometry: Uint8Array): number {
  const kind = (geometry[0] ?? 0xff) & ~geographyBit;
  const view = new DataView(geometry.buffer, geometry.byteOffset, geometry.byteLength);
  const countAt = (offset: number): number => {
    const count = offset + 4 <= geometry.length ? view.getInt32(offset) : -1;
    if (count < 0) throw noGeometry(geometry);
    return count;
  };
  if (kind === 0) return pointByteCount;
  if (kind === 1) return 5 + countAt(1) * coordinateByteCount;
  if (kind === 6) {
    // Each part of a collection has a first byte of its own.
    if (geometry.length === 1) return 1;
    throw expressionFailed('A collection of geometries cannot be moved to a sphere or a plane.');
  }
  const [parts, points] = [countAt(1), countAt(5)];
  if (parts > 1 && (kind === 2 || kind === 4)) throw noGeometry(geometry);
  const byteCount = 9 + parts * 4 + points * coordinateByteCount;
  // The parts of a valid geometry are consecutive and have at least two points each.
  const starts = Array.from({ length: Math.min(parts, points) }, (_, part) =>
    countAt(9 + part * 4),
  );
  const isWhole = [...starts, points].every((start, part) =>
    part === 0 ? start === 0 || parts === 0 : start - (starts[part - 1] ?? 0) >= 2,
  );
  if (!isWhole || parts > points) throw noGeometry(geometry);
  return byteCount;
}

function noGeometry(geometry: Uint8Array): Error {
  return expressionFailed(`${geometry.length} bytes are not a geometry in Apache Pinot’s format.`);
}

/** Reports whether a value selects a point on a sphere: true, 1 or their text. */
function isSphere(value: Value): boolean {
  if (typeof value === 'string' || typeof value === 'boolean') return toBoolean(value);
  if (Array.isArray(value) || value instanceof Timestamp) {
    throw expressionFailed('Expected true, false or a number for whether a point is on a sphere.');
  }
  const isLong = typeof value === 'bigint' || Number.isInteger(value);
  return isLong
    ? BigInt.asIntN(32, toLong(value as PresentValue)) === 1n
    : Math.trunc(toDouble(value as PresentValue)) === 1;
}

function coordinateText(value: number): string {
  return Number.isFinite(value)
    ? Decimal.parse(String(value)).toPlainString()
    : String(value).replace('Infinity', 'Inf');
}

const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz';

/** Functions of geometries, which are BYTES: a byte for the kind, then big-endian doubles. */
export const geoFunctions: readonly FunctionDefinition[] = [
  define(
    'stPoint',
    [double, double],
    bytes,
    (x, y) => encodePoint(x, y, false),
    'A point of x and y on a plane.',
  ),
  define(
    'stPoint',
    [double, double, object],
    bytes,
    (x, y, isGeography) => encodePoint(x, y, isSphere(isGeography)),
    'A point; if the third argument is true or 1, of longitude and latitude on a sphere.',
  ),
  define(
    'toSphericalGeography',
    [bytes],
    bytes,
    (geometry) => withGeography(geometry, true),
    'The same geometry with longitudes and latitudes on a sphere.',
  ),
  define(
    'toGeometry',
    [bytes],
    bytes,
    (geometry) => withGeography(geometry, false),
    'The same geometry on a plane.',
  ),
  define('stAsText', [bytes], text, pointText, 'A point as well-known text.'),
  define(
    'encodeGeoHash',
    [double, double, int],
    text,
    encodeGeohash,
    'The geohash of a latitude and a longitude, in 1 to 12 characters.',
    'encodeGeoHash(52.5, 13.4, 5)',
  ),
  define(
    'decodeGeoHash',
    [text],
    doubles,
    decodeGeohash,
    'Latitude and longitude of a geohash.',
    "decodeGeoHash('u33d')",
  ),
  define(
    'decodeGeoHashLatitude decodeGeoHashLat',
    [text],
    double,
    (hash) => decodeGeohash(hash)[0],
    'The latitude of a geohash.',
    "decodeGeoHashLatitude('u33d')",
  ),
  define(
    'decodeGeoHashLongitude decodeGeoHashLon',
    [text],
    double,
    (hash) => decodeGeohash(hash)[1],
    'The longitude of a geohash.',
    "decodeGeoHashLongitude('u33d')",
  ),
];

function encodeGeohash(latitude: number, longitude: number, length: number): string {
  if (length < 1 || length > 12) {
    throw expressionFailed(`A geohash has 1 to 12 characters, not ${length}.`);
  }
  const ranges: [[number, number], [number, number]] = [
    [-180, 180],
    [-90, 90],
  ];
  const given = [longitude, latitude] as const;
  let hash = '';
  for (let character = 0; character < length; character += 1) {
    let code = 0;
    for (let bit = 0; bit < 5; bit += 1) {
      const axis = (character * 5 + bit) % 2 === 0 ? 0 : 1;
      const middle = (ranges[axis][0] + ranges[axis][1]) / 2;
      const isUpper = given[axis] >= middle;
      ranges[axis][isUpper ? 0 : 1] = middle;
      code = code * 2 + Number(isUpper);
    }
    hash += alphabet.charAt(code);
  }
  return hash;
}

/** Characters outside the alphabet count as its last one, as in Apache Pinot. */
function decodeGeohash(hash: string): readonly [number, number] {
  const ranges: [[number, number], [number, number]] = [
    [-180, 180],
    [-90, 90],
  ];
  for (let index = 0; index < hash.length * 5; index += 1) {
    const axis = index % 2 === 0 ? 0 : 1;
    const isUpper =
      (alphabet.indexOf(hash.charAt(Math.floor(index / 5))) & (16 >> (index % 5))) !== 0;
    ranges[axis][isUpper ? 0 : 1] = (ranges[axis][0] + ranges[axis][1]) / 2;
  }
  return [(ranges[1][0] + ranges[1][1]) / 2, (ranges[0][0] + ranges[0][1]) / 2];
}
