/**
 * Files that are remembered at most: those looked at longest ago are forgotten, and read again when
 * they are used.
 */
const filesMax = 200_000;

/** A file as it was at one moment. */
export interface FileIdentity {
  readonly path: string;
  readonly identity: string;
}

/** The files that were found to be what was written, each by the identity that it had then. */
export class VerifiedFiles {
  readonly #identities = new Map<string, string>();
  readonly #filesMax: number;

  constructor({ countMax = filesMax }: { readonly countMax?: number } = {}) {
    this.#filesMax = countMax;
  }

  has({ path, identity }: FileIdentity): boolean {
    return this.#identities.get(path) === identity;
  }

  add({ path, identity }: FileIdentity): void {
    this.#identities.delete(path);
    this.#identities.set(path, identity);
    const [oldest] = this.#identities.keys();
    if (this.#identities.size > this.#filesMax && oldest !== undefined) {
      this.#identities.delete(oldest);
    }
  }
}

/** What several processes that read the same tables know together. */
export interface SharedVerification {
  /** Tells of each file whether it was found whole. */
  find(files: readonly FileIdentity[]): Promise<readonly boolean[]>;
  add(files: readonly FileIdentity[]): Promise<void>;
}

/** The knowledge of one process for others, which it can be asked from by messages. */
export class VerificationHost implements SharedVerification {
  readonly #files = new VerifiedFiles();

  async find(files: readonly FileIdentity[]): Promise<readonly boolean[]> {
    return files.map((file) => this.#files.has(file));
  }

  async add(files: readonly FileIdentity[]): Promise<void> {
    for (const file of files) this.#files.add(file);
  }
}
