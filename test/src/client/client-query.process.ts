/* The bundle of a page that runs queries. */
export { QuireClient } from '@quire/client';
