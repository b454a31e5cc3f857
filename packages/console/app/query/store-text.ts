/**
 * Stores a text in this browser. Reports whether there was space for it: browsers limit all texts
 * of an origin to some megabytes.
 */
export function storeText(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
