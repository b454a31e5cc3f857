import { QuireError } from '../errors.ts';

/** Returns the error for a missing object. */
export function objectNotFound(key: string, location: string, cause?: unknown): QuireError {
  return new QuireError('OBJECT_NOT_FOUND', `Object ${key} does not exist in ${location}.`, {
    cause,
  });
}

/** Returns the error for a call of a disposed store. */
export function storeClosed(location: string): QuireError {
  return new QuireError('SHUTTING_DOWN', `The store ${location} is closed.`);
}
