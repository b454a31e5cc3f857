export { DirectoryTables } from './directory-tables.ts';
