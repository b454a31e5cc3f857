declare module 'fs-native-extensions' {
  /**
   * Locks a whole open file for its process, and tells whether it could. Closing the file unlocks
   * it.
   */
  export function tryLock(fd: number): boolean;
}
