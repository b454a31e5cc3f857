export { assertDurableFiles } from './durable-files.ts';
export { type OwnerState, pidOfTag, processTag, stateOfOwner } from './process-tag.ts';
