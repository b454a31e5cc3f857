import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { QuireError } from '@quire/core';
import type { TlsCertificate } from './service-options.ts';

/**
 * What a TLS server is given to show this certificate.
 *
 * @throws INVALID_SETTING when one of the two is not in PEM, or the key is not that of the certificate
 */
export function secureContextOf({ certificate, key }: TlsCertificate): SecureContextOptions {
  const options: SecureContextOptions = { cert: certificate, key, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    // Not as its cause: nothing of a key may get into a log.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new QuireError(
      'INVALID_SETTING',
      'The files that engine.tls.certificate.file and engine.tls.key.file name are not a certificate and its private key ' +
        `in PEM (${code}).`,
    );
  }
  return options;
}
