/* The bundle of a page that only examines errors. */
export { isQuireError } from '@quire/client';
