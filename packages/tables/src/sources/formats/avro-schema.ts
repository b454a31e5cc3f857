import { isRecord } from '../../model/model-schema.ts';
import { SourceProblem } from '../source-problem.ts';

/** A type of Avro, read: https://avro.apache.org/docs/1.12.0/specification. */
export type AvroType =
  | { readonly kind: 'primitive'; readonly name: string; readonly logical?: string; readonly scale: number }
  | { readonly kind: 'record'; readonly fields: { readonly name: string; readonly type: AvroType }[] }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'fixed'; readonly size: number; readonly logical?: string; readonly scale: number }
  | { readonly kind: 'array' | 'map'; readonly element: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] };

const primitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'];
const depthMax = 100;

/** Reads the schema of a file; types may name themselves. @throws SourceProblem when it is not one */
export function readAvroSchema(schema: unknown): AvroType {
  const named = new Map<string, AvroType>();
  const read = (given: unknown, namespace: string, depth: number): AvroType => {
    if (depth > depthMax) throw corrupt(`its schema is nested more than ${depthMax} deep`);
    if (typeof given === 'string') return primitiveOf(given) ?? known(named, given, namespace);
    if (Array.isArray(given)) return { kind: 'union', branches: given.map((branch) => read(branch, namespace, depth + 1)) };
    if (!isRecord(given)) throw corrupt('a type of its schema is neither text, list nor object');
    const { type, name, symbols, size, items, values, fields, logicalType, scale } = given;
    const logic = {
      ...(typeof logicalType === 'string' && { logical: logicalType }),
      scale: typeof scale === 'number' ? scale : 0,
    };
    const space = typeof given['namespace'] === 'string' ? given['namespace'] : namespace;
    const register = <Type extends AvroType>(made: Type): Type => {
      if (typeof name === 'string') named.set(name.includes('.') || space === '' ? name : `${space}.${name}`, made);
      return made;
    };
    switch (type) {
      case 'record':
      case 'error': {
        const record = register({ kind: 'record' as const, fields: [] as { name: string; type: AvroType }[] });
        for (const field of Array.isArray(fields) ? (fields as readonly unknown[]) : []) {
          if (!isRecord(field) || typeof field['name'] !== 'string') throw corrupt('a field of its schema has no name');
          record.fields.push({ name: field['name'], type: read(field['type'], space, depth + 1) });
        }
        return record;
      }
      case 'enum':
        return register({ kind: 'enum', symbols: Array.isArray(symbols) ? symbols.map(String) : [] });
      case 'fixed':
        if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw corrupt('a fixed type has no size');
        return register({ kind: 'fixed', size, ...logic });
      case 'array':
        return { kind: 'array', element: read(items, space, depth + 1) };
      case 'map':
        return { kind: 'map', element: read(values, space, depth + 1) };
      default:
        if (typeof type === 'string' && primitives.includes(type)) return { kind: 'primitive', name: type, ...logic };
        return read(type, space, depth + 1);
    }
  };
  return read(schema, '', 0);
}

function primitiveOf(name: string): AvroType | undefined {
  return primitives.includes(name) ? { kind: 'primitive', name, scale: 0 } : undefined;
}

function known(named: ReadonlyMap<string, AvroType>, name: string, namespace: string): AvroType {
  const type = named.get(namespace === '' ? name : `${namespace}.${name}`) ?? named.get(name);
  if (type === undefined) throw corrupt(`its schema has no type ‘${name.slice(0, 100)}’`);
  return type;
}

/** What is said of a file that is not as the format wants it. */
export function corrupt(what: string): SourceProblem {
  return new SourceProblem('FILE_CORRUPT', `It cannot be read as Avro: ${what}.`);
}
