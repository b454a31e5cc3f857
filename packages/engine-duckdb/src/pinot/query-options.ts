import { invalid } from './typed.ts';

/**
 * Refuses options of Apache Pinot that would change the meaning of a query here. Options about the
 * work of a cluster have no effect on one machine, and are ignored.
 *
 * @throws QUERY_INVALID
 */
export function assertOption(name: string, value: string): void {
  if (name.toLowerCase() === 'enablenullhandling' && value.toLowerCase() === 'false') {
    throw invalid(
      'enableNullHandling is false, but the embedded engine supports only true. Leave the option out, or write coalesce(column, value).',
    );
  }
}
