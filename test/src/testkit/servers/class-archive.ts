import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the archives that `make-class-archives.process.ts` writes. */
export const archiveFolder = join(import.meta.dirname, '../../../../.cache/class-archives');

/** The use of the archive of a program by its JVM: start from it, or write the named file. */
export type ClassArchive = 'read' | { readonly write: string };

/**
 * Returns the options of a JVM that finds the classes of a program loaded and verified in an
 * archive. Without one, it starts the same and takes longer. It ignores the archive of another Java
 * or of other jars, about which it would write to its standard output.
 */
export function archiveOptions(program: string, archive: ClassArchive): string {
  if (archive !== 'read') return `-XX:ArchiveClassesAtExit=${archive.write}`;
  const path = join(archiveFolder, `${program}.jsa`);
  return existsSync(path) ? `-Xshare:auto -Xlog:disable -XX:SharedArchiveFile=${path}` : '';
}
