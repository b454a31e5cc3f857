export type { Finding } from '@quire/core/table-engine';
