export { assertDurableFiles } from './durable-files.ts';
export { listenError, type ListenPlace } from './listen-error.ts';
export { type OwnerState, pidOfTag, processTag, stateOfOwner } from './process-tag.ts';
export { readVersion } from './read-version.ts';
