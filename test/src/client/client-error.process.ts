/* What a page bundles that only asks what went wrong. */
export { isQuireError } from '@quire/client';
