import { define, type FunctionDefinition } from '../language/function-definition.ts';
import { expressionFailed } from '../language/expression-error.ts';
import { boolean, bytes, double, doubles, int, text } from '../language/function-type.ts';
import { encodePoint, pointText, withGeography } from '../values/geometry.ts';

const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz';

/** Geometries are what BYTES columns hold: a byte for the kind, then big-endian doubles. */
// prettier-ignore
export const geoFunctions: readonly FunctionDefinition[] = [
  define('stPoint', [double, double], bytes, (x, y) => encodePoint(x, y, false), 'A point of x and y on a plane.'),
  define('stPoint', [double, double, boolean], bytes, encodePoint, 'A point; where the third is true or 1, of longitude and latitude on a sphere.'),
  define('toSphericalGeography', [bytes], bytes, (geometry) => withGeography(geometry, true), 'The same geometry with longitudes and latitudes on a sphere.'),
  define('toGeometry', [bytes], bytes, (geometry) => withGeography(geometry, false), 'The same geometry on a plane.'),
  define('stAsText', [bytes], text, pointText, 'A point as well-known text.'),
  define('encodeGeoHash', [double, double, int], text, encodeGeohash, 'The geohash of a latitude and a longitude, in 1 to 12 characters.', 'encodeGeoHash(52.5, 13.4, 5)'),
  define('decodeGeoHash', [text], doubles, decodeGeohash, 'Latitude and longitude of a geohash.', "decodeGeoHash('u33d')"),
  define('decodeGeoHashLatitude decodeGeoHashLat', [text], double, (hash) => decodeGeohash(hash)[0], 'The latitude of a geohash.', "decodeGeoHashLatitude('u33d')"),
  define('decodeGeoHashLongitude decodeGeoHashLon', [text], double, (hash) => decodeGeohash(hash)[1], 'The longitude of a geohash.', "decodeGeoHashLongitude('u33d')"),
];

function encodeGeohash(latitude: number, longitude: number, length: number): string {
  if (length < 1 || length > 12) throw expressionFailed(`A geohash has 1 to 12 characters, not ${length}.`);
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

/** A character that is not of a geohash counts as the last one, as in the engine. */
function decodeGeohash(hash: string): readonly [number, number] {
  const ranges: [[number, number], [number, number]] = [
    [-180, 180],
    [-90, 90],
  ];
  for (let index = 0; index < hash.length * 5; index += 1) {
    const axis = index % 2 === 0 ? 0 : 1;
    const isUpper = (alphabet.indexOf(hash.charAt(Math.floor(index / 5))) & (16 >> (index % 5))) !== 0;
    ranges[axis][isUpper ? 0 : 1] = (ranges[axis][0] + ranges[axis][1]) / 2;
  }
  return [(ranges[1][0] + ranges[1][1]) / 2, (ranges[0][0] + ranges[0][1]) / 2];
}
