import { QuireError } from '../errors.ts';

/** No object has this key. */
export function objectNotFound(key: string, location: string, cause?: unknown): QuireError {
  return new QuireError('OBJECT_NOT_FOUND', `There is no object ${key} in ${location}.`, { cause });
}

/** The store was disposed. */
export function storeClosed(location: string): QuireError {
  return new QuireError('SHUTTING_DOWN', `The store ${location} is closed.`);
}
