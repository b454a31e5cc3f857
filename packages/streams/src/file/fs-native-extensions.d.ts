declare module 'fs-native-extensions' {
  /**
   * Locks a whole open file for its process; returns false if it is locked. Closing the file
   * unlocks it.
   */
  export function tryLock(fd: number): boolean;
}
