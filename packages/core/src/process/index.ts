export { assertDurableFiles } from './durable-files.ts';
export { decodeError, encodeError, type ErrorMessage } from './error-message.ts';
export { pathOfFileUrl } from './file-url.ts';
export { listenError, type ListenAddress } from './listen-error.ts';
export { type OwnerState, pidOfTag, processTag, stateOfOwner } from './process-tag.ts';
export { moduleBeside } from './module-beside.ts';
export {
  createFile,
  isBeingStaged,
  makeDirectory,
  movePath,
  removeFile,
  replaceFile,
  stagedPrefix,
} from './replace-file.ts';
export { errnoOf, isErrno, isMissingFile } from './system-error.ts';
export { createTemporaryDirectory, orUploadError, writeUpload } from './temporary-files.ts';
export { readVersion } from './read-version.ts';
