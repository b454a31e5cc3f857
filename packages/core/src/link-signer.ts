/** What some stores can do beside keeping objects: give links by which anybody reads one object, without Quire, for a while. */
export interface LinkSigner {
  /**
   * A URL that gives the object's bytes to anyone who has it, until `lifetimeMs` from now. Whether the object exists is not looked at.
   * The URL is a secret: it belongs in no log.
   *
   * @throws INVALID_OBJECT_KEY when the key is not one
   * @throws INVALID_PARAMETER when `lifetimeMs` is not between a second and seven days
   * @throws STORE_MISCONFIGURED when the store's credentials cannot sign
   */
  signLink(key: string, lifetimeMs: number): Promise<string>;
}
