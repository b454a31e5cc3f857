/**
 * The maximum number of cached files. The least recently used ones are dropped, and read again at
 * their next use.
 */
const filesMax = 200_000;

/** A file as it was at one moment. */
export interface FileIdentity {
  readonly path: string;
  readonly identity: string;
}

/** The verified files, each with its identity at that time. */
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

/** Verification results that several processes share. */
export interface SharedVerification {
  /** Resolves to whether each file was verified. */
  find(files: readonly FileIdentity[]): Promise<readonly boolean[]>;
  add(files: readonly FileIdentity[]): Promise<void>;
}

/** The verification results of one process, which others query by messages. */
export class VerificationHost implements SharedVerification {
  readonly #files = new VerifiedFiles();

  async find(files: readonly FileIdentity[]): Promise<readonly boolean[]> {
    return files.map((file) => this.#files.has(file));
  }

  async add(files: readonly FileIdentity[]): Promise<void> {
    for (const file of files) this.#files.add(file);
  }
}
