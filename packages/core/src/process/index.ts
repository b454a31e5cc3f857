export { type OwnerState, pidOfTag, processTag, stateOfOwner } from './process-tag.ts';
