import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { boolean, bytes, double } from '../parameters.ts';
import { encodePoint, pointText, withGeography } from '../values/geometry.ts';

/** Points and other geometries, as the engine keeps them in BYTES columns. */
export const geoFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'stPoint',
    takes: [double, double],
    optionally: [boolean],
    returns: 'bytes',
    does: 'A point of x and y; with 1 as third argument, of longitude and latitude on a sphere.',
    evaluate: (x, y, isGeography = false) => encodePoint(x, y, isGeography),
  }),
  scalar({
    name: 'toSphericalGeography',
    takes: [bytes],
    returns: 'bytes',
    does: 'The same geometry with longitudes and latitudes on a sphere.',
    evaluate: (geometry) => withGeography(geometry, true),
  }),
  scalar({
    name: 'toGeometry',
    takes: [bytes],
    returns: 'bytes',
    does: 'The same geometry on a plane.',
    evaluate: (geometry) => withGeography(geometry, false),
  }),
  scalar({
    name: 'stAsText',
    takes: [bytes],
    returns: 'text',
    does: 'A point as well-known text: `POINT (1.5 2)`.',
    evaluate: (geometry) => pointText(geometry),
  }),
];
