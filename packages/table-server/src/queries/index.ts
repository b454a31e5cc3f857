export { DirectoryTables } from './directory-tables.ts';
export {
  type FileIdentity,
  type SharedVerification,
  VerificationHost,
} from '../segments/verified-files.ts';
